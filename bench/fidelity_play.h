// Studies played on learning curves: the study's own driver, sampler and rule, with nothing trained
// behind them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/fidelity_curves.h"
#include "hpo/space/chosen.h"

namespace bench {

/// A study under a rule.
struct Contender {
  std::string name;
  std::string method;
  hpo::Chosen rule;
};

/// A stopping rule by its name: its defaults, but for what is said. Throws base::Error (internal)
/// for a name that is none.
[[nodiscard]] hpo::Chosen chosen_rule(const std::string& name, const hpo::Params& said = {});

struct Played {
  std::vector<double> regrets;  ///< at each budget
  double seconds = 0;           ///< real ones
};

/// Plays a study on so many workers until the largest of the `budgets` (epochs of all workers
/// together, ascending) is spent in virtual time, and not longer. The regret at a budget: what the
/// best report by then was worth without its noise, above the best there is.
[[nodiscard]] Played play(const Contender& contender, const Curves& curves, std::int64_t workers,
                          std::uint64_t seed, std::span<const double> budgets);

}  // namespace bench
