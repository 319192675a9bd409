#pragma once
// What makes two runs of a study differ: the keys through which real time, or a program, decides.

#include <string>
#include <vector>

#include "hpo/study/spec.h"

namespace hpo {

/// Those that the study uses, in the order of the file's table; "valid.latency" for metrics and
/// bounds. What they decide is logged and
/// repeated after a restart; another run of the study may decide otherwise.
[[nodiscard]] std::vector<std::string> real_time_keys(const StudySpec& study);

}  // namespace hpo
