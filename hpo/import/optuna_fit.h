#pragma once
// Which params of a history make one space: programs are renamed and grow between their trials, and
// trials of other programs are added by hand.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "hpo/import/optuna_conditions.h"
#include "hpo/import/optuna_domain.h"
#include "hpo/import/optuna_storage.h"

namespace hpo {

struct OptunaFit {
  std::vector<std::string> order;  ///< the params that stay, as they were suggested
  std::map<std::string, OptunaCondition> conditions = {};
  std::set<const OptunaTrial*> foreign = {};  ///< those that have a param that does not stay
  std::vector<std::string> notes = {};        ///< for people: what that cost
};

/// The space that keeps the most trials, step by step, until the conditions of all params hold in
/// the trials that are left. A param whose trials nothing tells is left out when nearly none has it
/// (a tenth, and not half of the latest) or, where the latest do without, fewer than half have it;
/// else what costs the fewest trials: it always exists, or goes with some values of one choice.
/// `order` has the names of the domains as they were suggested.
[[nodiscard]] OptunaFit fit_space(std::vector<const OptunaTrial*> trials,
                                  std::vector<std::string> order,
                                  const std::map<std::string, OptunaDomain>& domains);

}  // namespace hpo
