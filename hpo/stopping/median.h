#pragma once
// The median rule (Golovin et al., "Google Vizier: a service for black-box optimization", KDD 2017,
// section 3.2.2, in the form of Optuna's MedianPruner: a trial's best value is compared, not its
// mean).

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options startup, min and every. At min, min + every, min + 2 every... (or the first report at or
/// beyond each) a trial is stopped when its lowest loss so far is above the median of what the
/// complete trials had last reported by that step. Nothing is stopped before `startup` trials are
/// complete. NaN is worse than every number: it counts as +infinity on both sides. Of an even
/// number of losses the median is the mean of the middle two.
[[nodiscard]] StoppingKind median_rule();

}  // namespace hpo
