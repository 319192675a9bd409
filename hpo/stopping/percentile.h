#pragma once
// The percentile rule: the median rule with another share (Optuna's PercentilePruner).

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options percentile, startup, min and every. At min, min + every, min + 2 every... (or the first
/// report at or beyond each) a trial is stopped when its lowest loss so far is above this
/// percentile of what the complete trials had last reported by that step, interpolated between
/// neighbours. Nothing is stopped before `startup` trials are complete. NaN is worse than every
/// number: it counts as +infinity on both sides.
[[nodiscard]] StoppingKind percentile_rule();

/// The same with a percentile that no option says.
[[nodiscard]] std::unique_ptr<StoppingRule> make_percentile(const RuleSetup& setup,
                                                            double percentile);
/// Its options but the percentile.
[[nodiscard]] std::vector<base::FieldInfo> comparison_options();

}  // namespace hpo
