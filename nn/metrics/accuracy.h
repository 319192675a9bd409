#pragma once
// accuracy: the share of rows that were given their class.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& accuracy_metric();

}  // namespace nn
