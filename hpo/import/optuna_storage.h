#pragma once
// What a storage of Optuna holds, whichever kind it is.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json.h"

namespace hpo {

/// JSON as Optuna writes it.
inline constexpr base::JsonRules kPythonJson{.non_finite = true};

/// A param as Optuna keeps it: a number, which of a category is its place.
struct OptunaParam {
  double internal = 0;
  std::string distribution;  ///< JSON
  std::size_t place = 0;     ///< in the order in which the trial's params were suggested
};

struct OptunaTrial {
  std::size_t study = 0;       ///< id
  std::int64_t state = 0;      ///< running 0, complete 1, pruned 2, failed 3, waiting 4
  std::vector<double> values;  ///< of the objectives; empty: none
  std::map<std::string, OptunaParam> params;
  std::map<std::int64_t, double> reports;         ///< by step
  std::map<std::string, double> constraints;      ///< by name; above 0 one is broken
  std::map<std::string, std::string> fixed;       ///< as JSON: params that were said beforehand
  std::map<std::string, std::string> attributes;  ///< as JSON: what the user noted, by name
  std::optional<double> began, came_to_end;       ///< seconds since 1970

  [[nodiscard]] bool ended() const { return state >= 1 && state <= 3; }
  /// To the end of its program, or to where its pruner said stop.
  [[nodiscard]] bool ended_well() const { return state == 1 || state == 2; }

  void suggest(const std::string& name, double internal, std::string distribution);
  /// Takes a system attribute in; what Optuna notes for itself is no matter. Throws base::Error for
  /// constraints that are no numbers.
  void set_system_attribute(const std::string& name, const base::Json& value);
};

struct OptunaStudy {
  std::string name;
  std::vector<std::int64_t> directions;  ///< of the objectives: 1 minimize, 2 maximize
  std::vector<std::string> metrics;      ///< what the objectives are called, where somebody said it
  std::set<std::string> attributes;      ///< names of what the user noted
};

struct OptunaStorage {
  std::map<std::size_t, OptunaStudy> studies;  ///< by id, without those that were deleted
  std::vector<OptunaTrial> trials;             ///< in the order in which they were made
  std::vector<std::string> left_out = {};      ///< for people: what was there and is no study's
};

/// Seconds since 1970 of "2026-11-20T09:30:00.123456", also with a blank for the T; nothing for
/// another text.
[[nodiscard]] std::optional<double> moment_of(const std::string& time);

}  // namespace hpo
