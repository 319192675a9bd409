#pragma once
// The best trial in words, as `best` and the end of a sweep show it.

#include <optional>
#include <string>
#include <string_view>

#include "hpo/log/study_reader.h"

namespace cli {

[[nodiscard]] std::string text_best(const hpo::TrialRow& best, std::string_view metric,
                                    const std::optional<hpo::ModelInfo>& model);

}  // namespace cli
