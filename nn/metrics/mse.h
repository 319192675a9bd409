#pragma once
// mse: the mean squared error.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& mse_metric();

}  // namespace nn
