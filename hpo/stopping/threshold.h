#pragma once
// A trial that is worse than a fixed value is stopped (Optuna's ThresholdPruner, with the one bound
// that is on the metric's bad side).

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options worst, min and goal of the metric (RuleSetup::maximize). A report at or beyond `min`
/// stops its trial when its value is worse than `worst`, that is: lower where the metric is to be
/// maximized, higher otherwise. NaN is worse than every number.
[[nodiscard]] StoppingKind threshold_rule();

}  // namespace hpo
