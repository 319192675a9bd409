#pragma once
// Whether a study file still describes the study that a log holds.

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "hpo/log/event.h"
#include "hpo/study/trial_spec.h"

namespace hpo {

/// A resolved study file with a remark that names the content of its data, whatever path that lies
/// at.
[[nodiscard]] std::string with_content(std::string resolved, std::string_view content);

/// A resolved text whose data, replay and plugin lie where another one says.
[[nodiscard]] std::string with_places_of(std::string_view logged, std::string_view now);

/// A logged text as today's table of fields writes it: fields that it lacks stand at their
/// defaults, so that a study outlives the build that began it. `now` tells where the data lies
/// today. A text that this build cannot read at all is returned as it is.
[[nodiscard]] std::string in_todays_words(const std::string& logged, std::string_view now,
                                          const DataInfo& data);

/// The keys, for people, that no study may say otherwise than its log and these two resolved files
/// do (see changes_between), each with where it differs first. Empty: none.
[[nodiscard]] std::string what_is_other(std::string_view logged, std::string_view now,
                                        bool unsearched = false);

/// What two resolved study files say differently, key by key of the top level. Keys that only limit
/// or place the work (limits, parallel, retry, resources, checkpoint, store, nodes, output) may
/// change: they are returned. So may those that say how to search (method, early_stop, seed) where
/// nothing was searched yet, `unsearched`. Any other difference is left to `what_is_other`. Both
/// texts come from `with_content`; the path of the data may differ, its content may not.
[[nodiscard]] std::vector<Changed> changes_between(std::string_view logged, std::string_view now,
                                                   bool unsearched = false);

/// The error (study) where a folder holds another study. `other`: from `what_is_other`.
[[nodiscard]] base::Error other_study(const base::Path& folder, std::string_view other);

}  // namespace hpo
