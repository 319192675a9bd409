#pragma once
// Covariance matrix adaptation: a normal distribution that moves to where trials are good.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Over the floats and ints that exist without conditions, as places in the unit cube; what else
/// there is in a space is drawn at random. A generation is `population` ended trials: those that
/// were proposed from the distribution (covariance.h) as it was, and those that run beside them and
/// were proposed before; until they have ended, further trials come from the same one. Ranks as in
/// merit.h. When the distribution has shrunk to a point, it starts
/// anew at a random place with twice the population (Auger and Hansen, "A restart CMA evolution
/// strategy with increasing population size", CEC 2005).
///
/// A place outside the cube is drawn again, at last brought to its border.
[[nodiscard]] SamplerKind cmaes_sampler();

}  // namespace hpo
