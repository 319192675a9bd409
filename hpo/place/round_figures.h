#pragma once
// A machine of common parts, for what may not be measured because results depend on it.

#include <cstdint>
#include <string>

#include "runtime/place/device_model.h"

namespace hpo {

/// A core and a GPU of a common kind in round figures; `memory`: main memory in bytes.
[[nodiscard]] rt::Platform round_figures(std::string name, int cores, int gpus,
                                         std::uint64_t memory);

}  // namespace hpo
