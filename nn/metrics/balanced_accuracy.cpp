#include "nn/metrics/balanced_accuracy.h"

#include "nn/metrics/of_classes.h"

namespace nn {
namespace {

double balanced_accuracy_of(const ClassCounts& counts) {
  double sum = 0;
  int classes = 0;
  for (std::size_t c = 0; c < counts.truth.size(); ++c) {
    const std::int64_t rows = counts.truth[c];
    if (rows == 0) continue;
    sum += static_cast<double>(counts.right[c]) / static_cast<double>(rows);
    ++classes;
  }
  return sum / classes;
}

}  // namespace

const Metric& balanced_accuracy_metric() {
  static constexpr Metric kMetric{
      .name = "balanced_accuracy",
      .target = TargetKind::labels,
      .maximize = true,
      .doc = "Accuracy within each class, averaged over the classes that occur, from 0 to 1.",
      .value = value_of_classes<balanced_accuracy_of>,
      .of_classes = balanced_accuracy_of,
      .of_counts = counts_of_classes<balanced_accuracy_of>};
  return kMetric;
}

}  // namespace nn
