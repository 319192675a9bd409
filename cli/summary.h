#pragma once
// The best trial in words, as `best` and the end of a sweep show it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/study_reader.h"

namespace cli {

[[nodiscard]] std::string text_best(const hpo::TrialRow& best, std::string_view metric,
                                    const std::optional<hpo::ModelInfo>& model);

/// What the simplest predictors reach by `metric`, on the validation and the test part: a line
/// each, after a line that says what they are. Empty where there are none.
[[nodiscard]] std::string text_baselines(const std::vector<hpo::BaselineRow>& rows,
                                         const std::string& metric);

}  // namespace cli
