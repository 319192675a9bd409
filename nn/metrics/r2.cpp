#include "nn/metrics/r2.h"

#include <utility>

namespace nn {
namespace {

double r2_value(const Judged& judged) {
  double sum = 0;
  for (const ErrorMeans& m : error_means(judged))
    sum += m.variance > 0 ? 1 - m.squared / m.variance : 0;
  return sum / static_cast<double>(judged.width);
}

OfCounts r2_of_counts(const Judged& judged) {
  // The unit of a target cancels out.
  std::vector<double> squared(judged.targets.size());
  for (std::size_t i = 0; i < squared.size(); ++i) {
    const double error =
        static_cast<double>(judged.outputs[i]) - static_cast<double>(judged.targets[i]);
    squared[i] = error * error;
  }
  return [squared = std::move(squared), targets = judged.targets,
          width = judged.width](std::span<const std::uint32_t> counts) {
    double sum = 0;
    for (std::size_t output = 0; output < width; ++output) {
      double rows = 0, missed = 0, mean = 0, around = 0;
      // Welford's update: the variance of large targets must not cancel out.
      for (std::size_t row = 0; row < counts.size(); ++row) {
        if (counts[row] == 0) continue;
        const auto times = static_cast<double>(counts[row]);
        const auto target = static_cast<double>(targets[row * width + output]);
        rows += times;
        missed += times * squared[row * width + output];
        const double off = target - mean;
        mean += off * times / rows;
        around += times * off * (target - mean);
      }
      sum += around > 0 ? 1 - missed / around : 0;
    }
    return sum / static_cast<double>(width);
  };
}

}  // namespace

const Metric& r2_metric() {
  static constexpr Metric kMetric{
      .name = "r2",
      .target = TargetKind::numbers,
      .maximize = true,
      .doc =
          "Coefficient of determination, 1 - squared error / variance of the target. 1 is perfect, "
          "0 is no better than the mean. It is 0 for a constant target. With several targets, the "
          "mean over them.",
      .value = r2_value,
      .of_counts = r2_of_counts};
  return kMetric;
}

}  // namespace nn
