#include "nn/metrics/mse.h"

namespace nn {
namespace {

std::vector<double> mse_rows(const Judged& judged) {
  return row_means(judged, [](double error) { return error * error; });
}

double mse_value(const Judged& judged) {
  double sum = 0;
  for (const ErrorMeans& m : error_means(judged)) sum += m.squared * m.unit * m.unit;
  return sum / static_cast<double>(judged.width);
}

}  // namespace

const Metric& mse_metric() {
  static constexpr Metric kMetric{.name = "mse",
                                  .target = TargetKind::numbers,
                                  .maximize = false,
                                  .doc =
                                      "Mean squared error, in the squared unit of the target. With "
                                      "several targets, the mean over them.",
                                  .value = mse_value,
                                  .of_rows = mse_rows};
  return kMetric;
}

}  // namespace nn
