#pragma once
// How ended trials rank where several metrics are searched for.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "hpo/samplers/merit.h"
#include "hpo/space/pareto.h"

namespace hpo {

/// What an ended trial reached.
struct Marks {
  Merit merit;
  Losses losses;  ///< of all metrics
};

/// Which of a front to take, all of it included: places of so many of its points, best first.
using Pick =
    std::function<std::vector<std::size_t>(std::span<const Losses> front, std::size_t count)>;

/// Places of the best `count` trials. Those whose merits tell them apart by more than the loss
/// (complete, stopped by how far they came, infeasible by how much, failed) come one after another,
/// equal ones by their front, and along a front as `pick` has them.
[[nodiscard]] std::vector<std::size_t> best_marked(std::span<const Marks> trials, std::size_t count,
                                                   const Pick& pick);

/// The marks so far of the trials that run.
class RunningMarks {
 public:
  explicit RunningMarks(std::size_t metrics) : metrics_(metrics) {}

  void begin(std::uint64_t trial);
  void report(std::uint64_t trial, std::int64_t at, const Score& score);
  /// What it has reached if it is stopped now.
  [[nodiscard]] Marks so_far(std::uint64_t trial) const;
  /// What it reached in the end. The trial is forgotten, unless it failed and may run again.
  [[nodiscard]] Marks end(std::uint64_t trial, TrialState state);
  /// A trial that failed runs again with what it had.
  void reopen(std::uint64_t trial) { trials_.insert(failed_.extract(trial)); }

 private:
  std::size_t metrics_;
  std::map<std::uint64_t, Marks> trials_, failed_;
};

}  // namespace hpo
