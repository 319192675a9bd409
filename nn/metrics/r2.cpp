#include "nn/metrics/r2.h"

namespace nn {
namespace {

double r2_value(const Judged& judged) {
  double sum = 0;
  for (const ErrorMeans& m : error_means(judged))
    sum += m.variance > 0 ? 1 - m.squared / m.variance : 0;
  return sum / static_cast<double>(judged.width);
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
      .value = r2_value};
  return kMetric;
}

}  // namespace nn
