#pragma once
// auc: the area under the receiver operating characteristic (Fawcett 2006, equation 1 by ranks);
// with more than two classes the mean over the classes of each against the rest.

#include "nn/metrics/metric.h"

namespace nn {

[[nodiscard]] const Metric& auc_metric();

}  // namespace nn
