#pragma once
// Asynchronous successive halving (Li et al., "A system for massively parallel hyperparameter
// tuning", MLSys 2020): algorithm 2 where it promotes, and the variant that stops instead, as in
// Ray Tune's and Determined's.

#include <cstdint>
#include <memory>

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options min, eta and promote. A report decides at the rungs that it reaches or passes for the
/// first time; there the trial's loss is recorded. NaN and +infinity count as recorded, are worse
/// than all others, and never go on.
///
/// Stopping: of the n losses recorded at the rung so far, the trial's own included, the best max(1,
/// n / eta) (rounded down) stay: the trial goes on when fewer than that are strictly better than
/// it. So equal losses stay together, and the first trial at a rung goes on. Of several rungs the
/// lowest is asked first, and a trial that it stops is not recorded at the others. Words given stay
/// given.
///
/// Promoting: the trial waits at the highest rung that it reached, and a slot that is free goes to
/// the best one that waits at the highest rung where it is among the best n / eta (rounded down;
/// the lower number first among equals); a trial that would be that one itself goes on without
/// waiting. When nothing else is left to do and no trial was ever complete, the best one at the
/// highest rung goes on, so that one is.
[[nodiscard]] StoppingKind asha_rule();

/// One bracket of it.
struct AshaBracket {
  std::int64_t max = 1;  ///< where a trial ends by itself
  std::int64_t min = 1;  ///< the first rung
  std::int64_t eta = 3;
  bool promote = false;
  bool doubt = false;  ///< with promote: rungs whose order is turned round later stop nobody
  bool watch = false;  ///< trials also report between rungs (looks_below)
};
[[nodiscard]] std::unique_ptr<StoppingRule> make_asha(const AshaBracket& bracket);

}  // namespace hpo
