#pragma once
// What a study of adapting networks leaves in its folder besides the log.

#include <string_view>

#include "base/file.h"
#include "hpo/log/trial_table.h"

namespace hpo {

/// Writes candidates.csv where networks changed or raced, and front.csv and front.svg where
/// adapting networks were measured, into `folder`, their names behind `prefix`. Throws base::Error
/// (storage).
void write_front(const base::Path& folder, const TrialTable& trials, std::string_view prefix = "");

}  // namespace hpo
