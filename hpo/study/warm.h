#pragma once
// The `warm_start` section: studies whose trials are known from the start.

#include <string>
#include <vector>

#include "hpo/study/spec.h"

namespace hpo {

/// The folders of those studies, in the order of the file, as they are written there; a relative
/// one starts at the study file's folder.
[[nodiscard]] std::vector<std::string> warm_starts(const StudySpec& study);

/// Throws base::Error (study) at the place of the i-th of them: `warm_start is "..."` and what
/// `problem` says.
[[noreturn]] void refuse_warm_start(const StudySpec& study, std::size_t i,
                                    const std::string& problem);

}  // namespace hpo
