#pragma once
// The sampler for whoever does not want to choose one.

#include "hpo/samplers/registry.h"

namespace hpo {

/// gp until 200 trials have ended, with every eighth trial from tpe, then tpe alone, both told of
/// all trials: a model of the whole space makes the most of few trials, but can be caught where the
/// losses have many valleys or jump, which densities along each axis see; densities cost less with
/// many trials and go on improving for a while. Where all free parameters are numbers that always
/// exist, with 8 values or more, cmaes takes over when 200 trials have ended, and learns from then
/// on: it finds further valleys, and the bottom of one. While more than 8 trials run it proposes in
/// turn with tpe, because it falls behind by a few generations then. Only tpe where more than 30
/// parameters are free.
///
/// For several metrics tpe until 200 trials have ended, then nsga2, which breeds what tpe found,
/// but where parameters are conditional: there tpe stays ahead.
///
/// It follows from the space and the history alone, never from limits, so a study that is extended
/// goes on as if it had been meant to be longer.
[[nodiscard]] SamplerKind auto_sampler();

}  // namespace hpo
