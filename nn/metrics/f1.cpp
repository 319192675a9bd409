#include "nn/metrics/f1.h"

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

double f1_value(const Judged& judged) {
  return f1_of(count_classes(judged.outputs, judged.labels, judged.width));
}

OfCounts f1_of_counts(const Judged& judged) {
  return [given = given_classes(judged.outputs, judged.width), labels = judged.labels,
          classes = judged.width](std::span<const std::uint32_t> counts) {
    return f1_of(count_classes(given, labels, counts, classes));
  };
}

}  // namespace

const Metric& f1_metric() {
  static constexpr Metric kMetric{.name = "f1",
                                  .target = TargetKind::labels,
                                  .maximize = true,
                                  .doc =
                                      "Macro F1: harmonic mean of precision and recall, averaged "
                                      "over the classes that occur or were predicted, from 0 to 1.",
                                  .value = f1_value,
                                  .of_counts = f1_of_counts};
  return kMetric;
}

}  // namespace nn
