#pragma once
// The `warm_start` section: studies whose trials are known from the start.

#include <string>

#include "hpo/study/spec.h"

namespace hpo {

/// Throws base::Error (study) at the place of the i-th of them: `warm_start is "...", ` and
/// `problem`.
[[noreturn]] void refuse_warm_start(const StudySpec& study, std::size_t i,
                                    const std::string& problem);

}  // namespace hpo
