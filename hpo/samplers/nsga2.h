#pragma once
// NSGA-II (Deb, Pratap, Agarwal and Meyarivan, "A fast and elitist multiobjective genetic
// algorithm: NSGA-II", IEEE Transactions on Evolutionary Computation 6, 2002), for one metric or
// several.
//
// Trials that ended make a generation, in the order of their ends, whoever proposed them, so that
// nobody waits for a slow one. The best of the generation and of the parents before are the next
// parents: by constrained domination, fronts, and distance along the front that is cut. A child has
// each parameter from either of two parents that won a tournament, and now and then a value drawn
// anew. The constants are Optuna's: 0.9 of the children have two parents, half of their values are
// the other one's, one value in as many as there are parameters is drawn anew.

#include "hpo/samplers/registry.h"

namespace hpo {

[[nodiscard]] SamplerKind nsga2_sampler();

}  // namespace hpo
