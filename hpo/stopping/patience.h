#pragma once
// A trial that no longer gets better is stopped, whatever the others do (early stopping as in
// Prechelt, "Early stopping
// - but when?", 1998, criterion UP in spirit; the options are those of Keras and of Optuna's
// PatientPruner).

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options wait and min_delta. A report improves when its loss is lower than the lowest one that
/// counted before by more than min_delta; that one counts from then on. The first number counts;
/// NaN and +infinity never do. A trial is stopped at a report that lies `wait` or more behind its
/// last improvement (behind its beginning, step 0, as long as nothing counted).
[[nodiscard]] StoppingKind patience_rule();

}  // namespace hpo
