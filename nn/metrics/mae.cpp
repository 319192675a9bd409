#include "nn/metrics/mae.h"

namespace nn {
namespace {

double mae_value(const Judged& judged) {
  double sum = 0;
  for (const ErrorMeans& m : error_means(judged)) sum += m.absolute * m.unit;
  return sum / static_cast<double>(judged.width);
}

}  // namespace

const Metric& mae_metric() {
  static constexpr Metric kMetric{.name = "mae",
                                  .target = TargetKind::numbers,
                                  .maximize = false,
                                  .doc =
                                      "Mean absolute error, in the unit of the target. With "
                                      "several targets, the mean over them.",
                                  .value = mae_value};
  return kMetric;
}

}  // namespace nn
