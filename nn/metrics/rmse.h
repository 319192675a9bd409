#pragma once
// rmse: the root of the mean squared error, of several outputs the mean of their roots.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& rmse_metric();

}  // namespace nn
