// Figures of a step of an optimizer.
#pragma once

#include <string>

#include "bench/bench.h"
#include "bench/measure.h"

namespace bench {

/// Ours in milliseconds beside `seconds` of another way; the ratio is above 1 where ours is
/// quicker.
[[nodiscard]] Case step_case(std::string name, const Sample& ours, std::string rival,
                             double seconds);

}  // namespace bench
