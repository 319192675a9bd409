#pragma once
// f1: the mean over the classes of the harmonic mean of precision and recall (macro F1).

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& f1_metric();

}  // namespace nn
