#pragma once
// What ends a study: a goal that it reached, a hope that is given up, or time.

#include <optional>

#include "hpo/log/event.h"
#include "hpo/log/trial_table.h"
#include "hpo/study/spec.h"

namespace hpo {

/// How a limit on results ends the study as it stands; nothing while none does. A pure function of
/// its events.
[[nodiscard]] std::optional<Finished> reached(const Limits& limits, const TrialTable& trials);

/// True if nothing but limits.time ends the study: trials count by what they have reported by then.
[[nodiscard]] bool ends_by_time(const StudySpec& study);

}  // namespace hpo
