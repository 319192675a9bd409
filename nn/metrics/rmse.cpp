#include "nn/metrics/rmse.h"

#include <cmath>

namespace nn {
namespace {

double rmse_value(const Judged& judged) {
  double sum = 0;
  for (const ErrorMeans& m : error_means(judged)) sum += std::sqrt(m.squared) * m.unit;
  return sum / static_cast<double>(judged.width);
}

OfCounts rmse_of_counts(const Judged& judged) {
  return [errors = errors_of(judged), width = judged.width](std::span<const std::uint32_t> counts) {
    std::vector<double> squared(width, 0);
    double rows = 0;
    for (std::size_t row = 0; row < counts.size(); ++row) {
      const auto times = static_cast<double>(counts[row]);
      rows += times;
      for (std::size_t i = 0; i < width; ++i)
        squared[i] += times * errors[row * width + i] * errors[row * width + i];
    }
    double sum = 0;
    for (const double one : squared) sum += std::sqrt(one / rows);
    return sum / static_cast<double>(width);
  };
}

}  // namespace

const Metric& rmse_metric() {
  static constexpr Metric kMetric{.name = "rmse",
                                  .target = TargetKind::numbers,
                                  .maximize = false,
                                  .doc =
                                      "Root of the mean squared error, in the unit of the target. "
                                      "With several targets, the mean over them.",
                                  .value = rmse_value,
                                  .of_counts = rmse_of_counts};
  return kMetric;
}

}  // namespace nn
