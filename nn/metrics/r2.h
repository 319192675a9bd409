#pragma once
// r2: the coefficient of determination; 0 for a target that is the same in all rows.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& r2_metric();

}  // namespace nn
