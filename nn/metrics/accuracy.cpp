#include "nn/metrics/accuracy.h"

#include <numeric>

namespace nn {
namespace {

std::vector<double> right_rows(const Judged& judged) {
  const std::vector<std::int32_t> given = given_classes(judged.outputs, judged.width);
  std::vector<double> right(given.size());
  for (std::size_t row = 0; row < right.size(); ++row)
    right[row] = given[row] == judged.labels[row];
  return right;
}

double accuracy_value(const Judged& judged) {
  const std::vector<double> right = right_rows(judged);
  return std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(right.size());
}

double accuracy_of(const ClassCounts& counts) {
  const std::int64_t right = std::accumulate(counts.right.begin(), counts.right.end(), 0LL);
  const std::int64_t rows = std::accumulate(counts.truth.begin(), counts.truth.end(), 0LL);
  return static_cast<double>(right) / static_cast<double>(rows);
}

}  // namespace

const Metric& accuracy_metric() {
  static constexpr Metric kMetric{.name = "accuracy",
                                  .target = TargetKind::labels,
                                  .maximize = true,
                                  .doc = "Share of rows with the right class, from 0 to 1.",
                                  .value = accuracy_value,
                                  .of_rows = right_rows,
                                  .of_classes = accuracy_of};
  return kMetric;
}

}  // namespace nn
