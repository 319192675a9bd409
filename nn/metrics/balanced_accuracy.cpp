#include "nn/metrics/balanced_accuracy.h"

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

double balanced_accuracy_value(const Judged& judged) {
  return balanced_accuracy_of(count_classes(judged.outputs, judged.labels, judged.width));
}

OfCounts balanced_accuracy_of_counts(const Judged& judged) {
  return [given = given_classes(judged.outputs, judged.width), labels = judged.labels,
          classes = judged.width](std::span<const std::uint32_t> counts) {
    return balanced_accuracy_of(count_classes(given, labels, counts, classes));
  };
}

}  // namespace

const Metric& balanced_accuracy_metric() {
  static constexpr Metric kMetric{
      .name = "balanced_accuracy",
      .target = TargetKind::labels,
      .maximize = true,
      .doc = "Accuracy within each class, averaged over the classes that occur, from 0 to 1.",
      .value = balanced_accuracy_value,
      .of_counts = balanced_accuracy_of_counts};
  return kMetric;
}

}  // namespace nn
