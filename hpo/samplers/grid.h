#pragma once
// Every point of a finite space exactly once.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Points in the order of Space::grid_point: as nested loops in the order of the study file, the
/// last declared parameter turning fastest. Points that were tried already (trials added by hand)
/// are passed over, and the study ends with the last point. Needs a countable space: floats have a
/// step.
[[nodiscard]] SamplerKind grid_kind();

}  // namespace hpo
