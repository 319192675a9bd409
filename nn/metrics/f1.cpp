#include "nn/metrics/f1.h"

#include "nn/metrics/of_classes.h"

namespace nn {
namespace {

double f1_of(const ClassCounts& counts) {
  double sum = 0;
  int classes = 0;
  for (std::size_t c = 0; c < counts.truth.size(); ++c) {
    const std::int64_t both = counts.truth[c] + counts.given[c];
    if (both == 0) continue;
    sum += 2 * static_cast<double>(counts.right[c]) / static_cast<double>(both);
    ++classes;
  }
  return classes == 0 ? 0 : sum / classes;
}

}  // namespace

const Metric& f1_metric() {
  static constexpr Metric kMetric{.name = "f1",
                                  .target = TargetKind::labels,
                                  .maximize = true,
                                  .doc =
                                      "Macro F1: harmonic mean of precision and recall, averaged "
                                      "over the classes that occur or were predicted, from 0 to 1.",
                                  .value = value_of_classes<f1_of>,
                                  .of_classes = f1_of,
                                  .of_counts = counts_of_classes<f1_of>};
  return kMetric;
}

}  // namespace nn
