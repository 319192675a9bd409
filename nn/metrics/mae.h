#pragma once
// mae: the mean absolute error.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& mae_metric();

}  // namespace nn
