#pragma once
// Sobol's sequence, scrambled.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Proposal `ordinal` is point `ordinal` of Sobol's sequence with the direction numbers of Joe and
/// Kuo, "Constructing Sobol sequences with better two-dimensional projections" (SIAM J. Sci.
/// Comput. 30, 2008), under the nested uniform scrambling of Owen, "Randomly permuted (t,m,s)-nets
/// and (t,s)-sequences" (1995), whose permutations the study's seed names. The first 2^k points are
/// a net: each axis has one of them in each of 2^k equal parts. At most 3,667 parameters.
[[nodiscard]] SamplerKind sobol_sampler();

/// What samplers that learn propose first: Sobol's points, random ones where the space has too many
/// parameters for them.
[[nodiscard]] std::unique_ptr<Sampler> even_start(const SamplerSetup& setup);

}  // namespace hpo
