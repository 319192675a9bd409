#pragma once
// Whether a study file still describes the study that a log holds.

#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/event.h"

namespace hpo {

/// A resolved study file with a remark that names the content of its data, whatever path that lies
/// at.
[[nodiscard]] std::string with_content(std::string resolved, std::string_view content);

/// What two resolved study files say differently, key by key of the top level. Keys that only limit
/// or place the work (limits, parallel, retry, resources, checkpoint, store) may change: they are
/// returned. Any other difference throws rt::Error (study) that names the keys and what to do. Both
/// texts come from `with_content`; the path of the data may differ, its content may not.
[[nodiscard]] std::vector<Changed> changes_between(std::string_view logged, std::string_view now);

}  // namespace hpo
