#pragma once
// Bayesian optimisation: trials where a Gaussian process expects the most of them.

#include "hpo/samplers/registry.h"

namespace hpo {

/// The first `startup` proposals are Sobol's, and those until half as many trials have ended. Then
/// a Gaussian process (gaussian_process.h) learns
/// from the trials that ended, and the proposal is the point of the largest expected improvement
/// that a search from several starts finds, improvements of next to nothing left out. Trials that
/// run count as if they had ended a third of a deviation above what is expected of them, or as well
/// as the best trial that they are ahead of (standings.h): a proposal beside them looks elsewhere,
/// unless much is to be had there. (A random draw, or what is expected itself, leaves proposals in
/// one place; cf. the liars of Ginsbourger, Le Riche and Carraro, "Kriging is well-suited to
/// parallelize optimization", 2010.) Conditional parameters are
/// features that are there or absent, so that branches learn from one another what they share.
///
/// Losses are measured by the trials that ended first: those above their median are drawn together
/// to at most four times as far from it as the best of them is. What is bad need not be known
/// exactly, and one overflow must not hide all else. A stopped trial counts as no better than that
/// median, a failed one as worst.
///
/// The process sees at most 250 trials (fewer from 128 parameters on): the best half and the
/// newest half. Its shape is fitted anew whenever a tenth more trials have ended, to those alone,
/// and used from a third of that many later on: so it is a function of the history, and from 30
/// trials on there is time to fit it beside those that run (work_ahead()).
[[nodiscard]] SamplerKind gp_sampler();

}  // namespace hpo
