#pragma once
// How good an ended trial was, for samplers that rank them.

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>

#include "hpo/space/trial_state.h"

namespace hpo {

/// Smaller is better. Complete trials rank by their loss, behind them stopped ones by how far they
/// came and their loss, behind them failed ones; a loss that is no number is the worst.
struct Merit {
  int group = 0;          ///< complete, stopped, failed
  std::int64_t step = 0;  ///< of stopped ones: minus the last
  double loss = std::numeric_limits<double>::infinity();
  std::uint64_t trial = 0;
  auto operator<=>(const Merit&) const = default;

  void report(std::int64_t at, double value) {
    step = -at;
    loss = std::isnan(value) ? std::numeric_limits<double>::infinity() : value;
  }
  void end(TrialState state) {
    group = state == TrialState::complete ? 0 : state == TrialState::stopped ? 1 : 2;
    if (group == 0) step = 0;
  }
};

/// The merits so far of the trials that run.
class RunningMerits {
 public:
  void begin(std::uint64_t trial) { merits_[trial] = {.trial = trial}; }
  void report(std::uint64_t trial, std::int64_t at, double value) {
    merits_.at(trial).report(at, value);
  }
  /// What it was worth in the end; the trial is forgotten.
  Merit end(std::uint64_t trial, TrialState state) {
    Merit merit = merits_.at(trial);
    merits_.erase(trial);
    merit.end(state);
    return merit;
  }
  /// In trial order.
  [[nodiscard]] const std::map<std::uint64_t, Merit>& all() const { return merits_; }

 private:
  std::map<std::uint64_t, Merit> merits_;
};

}  // namespace hpo
