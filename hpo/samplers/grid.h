#pragma once
// Every point of a finite space exactly once.

#include <cstdint>

#include "hpo/samplers/registry.h"

namespace hpo {

/// A grid of more points is taken for a mistake where nothing says how many of them are tried.
inline constexpr std::uint64_t kMostGridPoints = 1'000'000;

/// Points in the order of Space::grid_point: as nested loops in the order of the study file, the
/// last declared parameter turning fastest. Points that were tried already (trials added by hand)
/// are passed over, and the study ends with the last point. Needs a countable space: floats have a
/// step.
[[nodiscard]] SamplerKind grid_sampler();

}  // namespace hpo
