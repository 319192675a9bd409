#pragma once
// What a study's parameters matter, by PED-ANOVA: Watanabe, Bansal and Hutter, "PED-ANOVA:
// efficiently quantifying hyperparameter importance in arbitrary subspaces", IJCAI 2023.
//
// Trials are the best tenth or not. A parameter along which the best are spread as all are does not
// matter; the farther the two densities are apart (the Pearson divergence of equation 15), the more
// it does. Densities are kernels on a grid of at most 50 cells of the unit interval, whose width
// follows Scott's rule from all of their trials, beside one that covers the grid.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hpo/space/space.h"

namespace hpo {

/// A trial that ended and did not fail.
struct RankedTrial {
  Params params;
  double loss = 0;        ///< lower is better; NaN is worst
  std::int64_t step = 0;  ///< of its last report
  bool complete = true;   ///< else a stopping rule ended it: worse than all that are complete, and
                          ///< the worse the earlier
  double violation = 0;   ///< by how much bounds are broken; 0: none is, else worse than all such
};

struct Importance {
  std::string parameter;
  double share = 0;          ///< of all parameters' together; they sum to 1
  std::uint64_t trials = 0;  ///< that had the parameter
};

/// Fewest outcomes that say anything.
inline constexpr std::size_t kFewestOutcomes = 10;

/// True for the best tenth, and for what is as good as the last of these; of few outcomes two.
/// Fewer where fewer break no bound. `outcomes` has kFewestOutcomes entries or more.
[[nodiscard]] std::vector<bool> best_tenth(std::span<const RankedTrial> outcomes);

/// The most important first, equal ones in the order of the space; parameters that are always the
/// same are left out. A conditional parameter is judged by the trials that had it, and counts by
/// the square of their share among the best over their share of all (Optuna 5 does the same). Empty
/// with fewer than kFewestOutcomes outcomes. All shares are equal where nothing sets the best
/// apart. O(outcomes * parameters).
[[nodiscard]] std::vector<Importance> importance_of(const Space& space,
                                                    std::span<const RankedTrial> outcomes);

}  // namespace hpo
