#pragma once
// Asynchronous successive halving, the variant that stops (Li et al., "A system for massively
// parallel hyperparameter tuning", MLSys 2020, algorithm 2; stopping instead of promoting as in Ray
// Tune's and Determined's).

#include <cstdint>
#include <vector>

#include "hpo/stopping/registry.h"

namespace hpo {

/// The rungs below `max`: min, min*eta, min*eta^2... A trial that reaches `max` is complete, so max
/// is no rung.
[[nodiscard]] std::vector<std::int64_t> asha_rungs(std::int64_t min, std::int64_t max,
                                                   std::int64_t eta);

/// Options min and eta. A report decides at the rungs that it reaches or passes for the first time,
/// lowest first. At a rung the trial's loss is recorded; of the n losses recorded there so far, its
/// own included, the best max(1, n / eta) (rounded down) stay: the trial goes on when fewer than
/// that are strictly better than it. So equal losses stay together, and the first trial at a rung
/// goes on. NaN and +infinity count as recorded, are worse than all others, and never go on. Words
/// given stay given: a trial that went on is not stopped when better ones come to the same rung
/// later.
[[nodiscard]] StoppingKind asha_kind();

}  // namespace hpo
