#pragma once
// Independent draws from the space, without exact repetition.

#include "hpo/samplers/registry.h"

namespace hpo {

/// Every parameter uniform over its range (over the logarithm for scale log), from the Philox
/// stream named by (study seed, "proposal", ordinal). A point that a trial has already is drawn
/// again; a finite space ends when all its points were tried.
[[nodiscard]] SamplerKind random_sampler();

}  // namespace hpo
