#include "nn/metrics/rmse.h"

#include <cmath>

namespace nn {
namespace {

double rmse_value(const Judged& judged) {
  double sum = 0;
  for (const ErrorMeans& m : error_means(judged)) sum += std::sqrt(m.squared) * m.unit;
  return sum / static_cast<double>(judged.width);
}

}  // namespace

const Metric& rmse_metric() {
  static constexpr Metric kMetric{.name = "rmse",
                                  .target = TargetKind::numbers,
                                  .maximize = false,
                                  .doc =
                                      "Root of the mean squared error, in the unit of the target. "
                                      "With several targets, the mean over them.",
                                  .value = rmse_value};
  return kMetric;
}

}  // namespace nn
