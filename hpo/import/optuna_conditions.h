#pragma once
// When a param of Optuna's exists, which its studies do not say: out of the trials that have it.

#include <map>
#include <string>
#include <vector>

#include "hpo/import/optuna_domain.h"
#include "hpo/import/optuna_storage.h"

namespace hpo {

/// What a param goes with: `values` (as Optuna keeps them) of `parent`. Without a parent it always
/// exists, or, where `known` is false, nothing tells when.
struct OptunaCondition {
  bool known = true;
  std::string parent = {};
  std::vector<double> values = {};
};

/// Finds the one other param whose value tells whether a param exists: a choice before ints, of
/// ints those with the fewest values. Of ints the values may be all from some number on (or up to
/// one), those that no trial had too: `n_units_2` of `n_layers >= 3`.
class OptunaConditions {
 public:
  /// All of it outlives this. `order` has the names of the domains as they were suggested: a parent
  /// stands before its children, or always exists.
  OptunaConditions(const std::vector<const OptunaTrial*>& trials,
                   const std::vector<std::string>& order,
                   const std::map<std::string, OptunaDomain>& domains);

  [[nodiscard]] OptunaCondition of(const std::string& name) const;

 private:
  /// Whether a trial tells when a param exists. One that failed, or did not end, may have gone
  /// before it came to that; what it has counts.
  [[nodiscard]] bool tells(const OptunaTrial& trial, const std::string& name) const;
  [[nodiscard]] bool always_exists(const std::string& name) const;
  [[nodiscard]] bool can_be_parent(const std::string& parent, const std::string& name) const;
  /// The values of `parent` that the param goes with; empty: it does not tell.
  [[nodiscard]] std::vector<double> values_with(const std::string& name,
                                                const std::string& parent) const;

  const std::vector<const OptunaTrial*>& trials_;
  const std::map<std::string, OptunaDomain>& domains_;
  std::vector<std::string> parents_;  ///< those that can be one, in the order of preference
  std::map<std::string, std::size_t> places_;  ///< in the order
  bool some_ended_well_;
};

}  // namespace hpo
