#include "nn/metrics/accuracy.h"

namespace nn {
namespace {

double accuracy_value(const Judged& judged) {
  std::int64_t right = 0;
  for (std::size_t row = 0; row < judged.labels.size(); ++row) {
    const auto outputs = std::span(judged.outputs).subspan(row * judged.width, judged.width);
    right += class_of(outputs) == judged.labels[row];
  }
  return static_cast<double>(right) / static_cast<double>(judged.rows());
}

}  // namespace

const Metric& accuracy_metric() {
  static constexpr Metric kMetric{.name = "accuracy",
                                  .target = TargetKind::labels,
                                  .maximize = true,
                                  .doc = "Share of rows with the right class, from 0 to 1.",
                                  .value = accuracy_value};
  return kMetric;
}

}  // namespace nn
