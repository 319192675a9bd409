// Cases that a program of another language measured and printed.
#pragma once

#include <string>
#include <vector>

#include "bench/bench.h"

namespace bench {

/// The cases in `output`, a JSON object with the list "cases" of {"case", "ours", "unit", "rival",
/// "rival_value", "ratio", "half"}; half is half of an interval around `ours`. Throws
/// nlohmann::json::exception where it is anything else.
[[nodiscard]] std::vector<Case> told_cases(const std::string& output);

}  // namespace bench
