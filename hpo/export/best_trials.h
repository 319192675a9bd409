#pragma once
// The best of a study's trials, where another tool is too slow for all of them.

#include <cstddef>
#include <vector>

#include "hpo/log/study_reader.h"

namespace hpo {

/// The `count` best trials, best first: those that can be best before others, of which those with
/// the better reports come first.
[[nodiscard]] std::vector<TrialRow> best_trials(const StudyReader& study, std::size_t count);

}  // namespace hpo
