#pragma once
// The sampler for whoever does not want to choose one.

#include "hpo/samplers/registry.h"

namespace hpo {

/// gp and tpe in turn until 100 trials have ended, tpe alone from then on, both told of all trials:
/// a model of the whole space makes the most of few trials, but is caught where the losses have
/// many valleys or jump, which densities along each axis see; densities cost less with many trials
/// and go on improving. Only tpe where more than 30 parameters are free. It follows from the space
/// and the history alone, so a study that is extended goes on as if it had been meant to be longer.
[[nodiscard]] SamplerKind auto_kind();

}  // namespace hpo
