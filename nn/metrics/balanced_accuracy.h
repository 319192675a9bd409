#pragma once
// balanced_accuracy: the mean recall of the classes that occur.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& balanced_accuracy_metric();

}  // namespace nn
