#pragma once
// When a param of Optuna's exists, which its studies do not say: out of the trials that have it.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "hpo/import/optuna_domain.h"
#include "hpo/import/optuna_storage.h"

namespace hpo {

/// What a param goes with: of each parent one of `values` (as Optuna keeps them). Without parents
/// it always exists, or, where `known` is false, nothing tells when.
struct OptunaCondition {
  struct On {
    std::string parent;
    std::vector<double> values;
  };
  bool known = true;
  std::vector<On> all = {};
};

/// Finds the one other param whose value tells whether a param exists: a choice before ints, of
/// ints those with the fewest values. Of ints the values may be all from some number on (or up to
/// one), those that no trial had too: `n_units_2` of `n_layers >= 3`. Where no single one tells,
/// two do, the first of which has few values.
class OptunaConditions {
 public:
  /// A row for each of `trials`, in their order.
  using Rows = std::vector<std::size_t>;

  /// `domains` outlives this. `order` has the names of the domains as they were suggested: a parent
  /// stands before its children, or always exists.
  OptunaConditions(const std::vector<const OptunaTrial*>& trials,
                   const std::vector<std::string>& order,
                   const std::map<std::string, OptunaDomain>& domains);

  /// What no trial contradicts.
  [[nodiscard]] OptunaCondition of(const std::string& name) const;

  /// The values of one choice that the fewest trials contradict, and those trials; no parent where
  /// there is no choice.
  struct Near {
    OptunaCondition::On on;
    Rows against;
  };
  [[nodiscard]] Near nearest(const std::string& name) const;

  /// The trials that tell when a param exists. One that failed, or did not end, may have gone
  /// before it came to that; what it has counts.
  [[nodiscard]] Rows telling(const std::string& name) const;
  [[nodiscard]] bool has(std::size_t row, const std::string& name) const;

 private:
  /// Of each trial its value of one param; NaN: it has none.
  using Column = std::vector<double>;

  [[nodiscard]] bool can_be_parent(const std::string& parent, const std::string& name) const;
  /// The values of `parent` that the param goes with; empty: it does not tell.
  [[nodiscard]] std::vector<double> values_with(const std::string& name, const std::string& parent,
                                                const Rows& rows) const;
  /// Those of `rows` whose value of `parent` some trial has beside the param: outside of them the
  /// parent tells that there is none. All of them: the parent tells nothing.
  [[nodiscard]] Rows left_open(const std::string& name, const std::string& parent, const Rows& rows,
                               std::vector<double>& values) const;
  [[nodiscard]] OptunaCondition of_two(const std::string& name, const Rows& rows) const;

  const std::map<std::string, OptunaDomain>& domains_;
  std::map<std::string, Column> columns_;
  std::vector<bool> ended_well_;
  bool some_ended_well_ = false;
  std::vector<std::string> parents_;  ///< those that can be one, in the order of preference
  std::map<std::string, std::size_t> places_;  ///< in the order
  std::map<std::string, bool> always_;
};

}  // namespace hpo
