#pragma once
// Whether a study file still describes the study that a log holds.

#include <string_view>
#include <vector>

#include "hpo/log/event.h"

namespace hpo {

/// What two resolved study files say differently, key by key of the top level. Keys that only limit
/// or place the work (limits, parallel, retry, resources) may change: they are returned. Any other
/// difference throws rt::Error (study) that names the keys and what to do.
[[nodiscard]] std::vector<Changed> changes_between(std::string_view logged, std::string_view now);

}  // namespace hpo
