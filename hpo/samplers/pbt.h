#pragma once
// Population based training: a population of trials trains together, and at each boundary the worst
// take over the networks of the best and explore from there.
//
// Jaderberg et al., "Population Based Training of Neural Networks" (arXiv 1711.09846, 2017):
// truncation selection, and perturbing or resampling as `explore`. The generations are synchronous:
// nobody is compared with a trial that has trained for longer.

#include "hpo/samplers/registry.h"

namespace hpo {

[[nodiscard]] SamplerKind pbt_sampler();

}  // namespace hpo
