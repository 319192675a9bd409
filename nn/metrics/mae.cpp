#include "nn/metrics/mae.h"

#include <cmath>

namespace nn {
namespace {

std::vector<double> mae_rows(const Judged& judged) {
  return row_means(judged, [](double error) { return std::abs(error); });
}

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
                                  .value = mae_value,
                                  .of_rows = mae_rows};
  return kMetric;
}

}  // namespace nn
