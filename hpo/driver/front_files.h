#pragma once
// What a study of adapting networks leaves in its folder besides the log.

#include "hpo/log/trial_table.h"
#include "runtime/base/file.h"

namespace hpo {

/// Writes candidates.csv where networks changed or raced, and front.csv and front.svg where
/// adapting networks were measured, into `folder`. Throws rt::Error (storage).
void write_front(const rt::Path& folder, const TrialTable& trials);

}  // namespace hpo
