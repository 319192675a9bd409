#pragma once
// Whether what a study was to find is found, or no longer expected.

#include <optional>

#include "hpo/log/event.h"
#include "hpo/log/trial_table.h"
#include "hpo/study/spec.h"

namespace hpo {

/// limits.target and limits.patience: how they end the study as it stands; nothing while they do
/// not. A pure function of its events.
[[nodiscard]] std::optional<Finished> reached(const Limits& limits, const TrialTable& trials);

}  // namespace hpo
