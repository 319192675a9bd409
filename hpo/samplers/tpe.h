#pragma once
// The tree-structured Parzen estimator: proposes what good trials have and bad ones have not.

#include "hpo/samplers/registry.h"

namespace hpo {

/// After `startup` trials spread evenly (sobol.h), of which half must have ended, finished trials
/// are split into the best tenth (at most 25) and the rest; a density is learned from each
/// (parzen.h), `candidates` points are drawn from the first, with one metric every second one
/// around a mixture of several good trials (Parzen::sample_between), and the one with the largest
/// ratio of the two densities is proposed. Complete trials rank by their loss, behind them stopped
/// ones by how far they came and their loss, behind them failed ones (Bergstra et al., NeurIPS
/// 2011; the constants are Optuna 5's). Trials that run stand among them by what they have reported
/// (standings.h); of several metrics, and before the first report, they count as neither. Beside n
/// of those that count as neither, only candidates / sqrt(1 + n) points are drawn, at least half of
/// them: the best of many would lie close together. The rest
/// are the 10,000 youngest of them: older ones would weigh next to nothing, and a proposal's cost
/// stays within milliseconds.
///
/// Parameters are taken together: those with the same conditions make a group with densities over
/// all of its parameters, learned from the trials in which the group is active. A point that a
/// trial has already is not proposed again; a finite space ends when all its points were tried.
[[nodiscard]] SamplerKind tpe_sampler();

}  // namespace hpo
