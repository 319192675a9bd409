#pragma once
// Hyperband (Li et al., "Hyperband: a novel bandit-based approach to hyperparameter optimization",
// JMLR 2018) with asynchronous brackets (as in Klein et al., "Model-based asynchronous
// hyperparameter and neural architecture search", 2020): several asha side by side whose first
// rungs differ, because nobody knows how early a look is worth something.

#include <cstdint>
#include <vector>

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options min, eta, brackets and promote. Bracket s is an asha whose first rung is min * eta^s;
/// the last of as many brackets as there are rungs and one more has none. A trial belongs to one
/// bracket for life, by its number.
[[nodiscard]] StoppingKind hyperband_rule();

/// Trials of each of `brackets` brackets in one round of Hyperband: ceil(B / (B - s) *
/// eta^(B-1-s)).
[[nodiscard]] std::vector<std::int64_t> bracket_sizes(std::int64_t brackets, std::int64_t eta);

/// The brackets of trials 0, 1, 2...: each goes to the one that has the fewest trials for its size,
/// itself counted, the one that looks first among equals. So after every round the shares are
/// Hyperband's, and a short study is mostly spent on the first bracket.
[[nodiscard]] std::vector<std::size_t> deal_brackets(const std::vector<std::int64_t>& sizes,
                                                     std::size_t trials);

}  // namespace hpo
