#pragma once
// Rungs: the steps at which trials are compared, and what they had there. Shared by all rules of
// the successive-halving family.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hpo {

/// The rungs below `max`: min, min*eta, min*eta^2... A trial that reaches `max` is complete, so max
/// is no rung.
[[nodiscard]] std::vector<std::int64_t> rungs_below(std::int64_t max, std::int64_t min,
                                                    std::int64_t eta);

/// The rungs, and steps between and behind them that are a quarter apart: how good the best trial
/// is should be known before it gets to the next rung.
[[nodiscard]] std::vector<std::int64_t> looks_below(std::int64_t max,
                                                    const std::vector<std::int64_t>& rungs);

/// Whether a report at `step`, after one at `last` (0: none), reaches or passes one of the rungs.
[[nodiscard]] bool reaches(const std::vector<std::int64_t>& rungs, std::int64_t last,
                           std::int64_t step);

/// What trials had at one rung. Order: by loss, the lower number first among equals. NaN counts as
/// +infinity. Not thread-safe.
class Rung {
 public:
  explicit Rung(std::int64_t step) : step_(step) {}

  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  /// Records a trial's loss; once for each trial.
  void record(std::uint64_t trial, double loss);
  /// How many losses here are strictly lower.
  [[nodiscard]] std::size_t better(double loss) const;

  /// A recorded trial waits here until it leaves.
  void wait(std::uint64_t trial, double loss);
  void leave(std::uint64_t trial);
  [[nodiscard]] bool anyone_waits() const { return !waiting_.empty(); }
  /// The best of those that wait.
  [[nodiscard]] std::optional<std::uint64_t> first_waiting() const;
  /// The same if it is among the best `count` of all that were recorded.
  [[nodiscard]] std::optional<std::uint64_t> first_waiting_of(std::size_t count) const;
  /// The one of them that was created first.
  [[nodiscard]] std::optional<std::uint64_t> lowest_waiting() const;
  /// All that wait, best first.
  [[nodiscard]] std::vector<std::uint64_t> waiting() const;

 private:
  using Entry = std::pair<double, std::uint64_t>;

  std::int64_t step_;
  std::vector<Entry> entries_;  // ascending
  std::set<Entry> waiting_;
  std::unordered_map<std::uint64_t, double> losses_;  // of those that wait
};

}  // namespace hpo
