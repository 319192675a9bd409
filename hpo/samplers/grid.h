#pragma once
// Every point of a finite space exactly once.

#include <cstdint>

#include "hpo/samplers/registry.h"

namespace hpo {

/// Larger grids are refused unless limits.trials is set (hpo/study/derive.cpp).
inline constexpr std::uint64_t kMostGridPoints = 1'000'000;

/// Points in the order of Space::grid_point: as nested loops over Space::order() (declared order,
/// parents first), the last turning fastest. Points that were tried already (trials added by hand)
/// are passed over, and the study ends with the last point. Needs Space::grid_size(): every float
/// has a step and the points can be counted.
[[nodiscard]] SamplerKind grid_sampler();

}  // namespace hpo
