#pragma once
// How good an ended trial was, for samplers that rank them.

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "hpo/space/score.h"
#include "hpo/space/trial_state.h"

namespace hpo {

/// Smaller is better. Complete trials rank by their loss, behind them stopped ones by how far they
/// came and their loss, behind them those that break bounds by how much and their loss, behind them
/// failed ones, all alike; a loss that is no number is the worst.
struct Merit {
  static constexpr int kInfeasible = 2, kFailed = 3;
  int group = 0;          ///< complete, stopped, infeasible, failed
  double violation = 0;   ///< of infeasible ones
  std::int64_t step = 0;  ///< of stopped ones: minus the last
  double loss = std::numeric_limits<double>::infinity();
  std::uint64_t trial = 0;
  auto operator<=>(const Merit&) const = default;

  void report(std::int64_t at, const Score& score) {
    violation = score.violation;
    step = -at;
    loss = std::isnan(score.loss) ? std::numeric_limits<double>::infinity() : score.loss;
  }
  void end(TrialState state) {
    group = state == TrialState::complete ? 0 : state == TrialState::stopped ? 1 : kFailed;
    if (group != kFailed && violation > 0) group = kInfeasible;
    if (group != kInfeasible) violation = 0;
    if (group != 1) step = 0;
    if (group == kFailed) loss = std::numeric_limits<double>::infinity();
  }
};

/// The merits so far of the trials that run.
class RunningMerits {
 public:
  void begin(std::uint64_t trial) { merits_[trial] = {.trial = trial}; }
  void report(std::uint64_t trial, std::int64_t at, const Score& score) {
    merits_.at(trial).report(at, score);
  }
  /// What it was worth in the end. The trial is forgotten, unless it failed and may run again.
  Merit end(std::uint64_t trial, TrialState state) {
    Merit merit = merits_.at(trial);
    auto ended = merits_.extract(trial);
    if (state == TrialState::failed) failed_.insert(std::move(ended));
    merit.end(state);
    return merit;
  }
  /// A trial that failed runs again with what it had.
  void reopen(std::uint64_t trial) { merits_.insert(failed_.extract(trial)); }
  /// What it would be worth if it were stopped now.
  [[nodiscard]] Merit so_far(std::uint64_t trial) const {
    Merit merit = merits_.at(trial);
    merit.end(TrialState::stopped);
    return merit;
  }
  /// In trial order.
  [[nodiscard]] const std::map<std::uint64_t, Merit>& all() const { return merits_; }

 private:
  std::map<std::uint64_t, Merit> merits_, failed_;
};

}  // namespace hpo
