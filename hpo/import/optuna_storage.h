#pragma once
// What a storage of Optuna holds, whichever kind it is.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace hpo {

/// A param as Optuna keeps it: a number, which of a category is its place.
struct OptunaParam {
  double internal = 0;
  std::string distribution;  ///< JSON
};

struct OptunaTrial {
  std::size_t study = 0;       ///< id
  std::int64_t state = 0;      ///< running 0, complete 1, pruned 2, failed 3, waiting 4
  std::vector<double> values;  ///< of the objectives; empty: none
  std::map<std::string, OptunaParam> params;
  std::map<std::int64_t, double> reports;  ///< by step

  [[nodiscard]] bool ended() const { return state >= 1 && state <= 3; }
};

struct OptunaStudy {
  std::string name;
  std::vector<std::int64_t> directions;  ///< of the objectives: 1 minimize, 2 maximize
  std::vector<std::string> metrics;      ///< what the objectives are called, where somebody said it
};

struct OptunaStorage {
  std::map<std::size_t, OptunaStudy> studies;  ///< by id, without those that were deleted
  std::vector<OptunaTrial> trials;             ///< in the order in which they were made
};

}  // namespace hpo
