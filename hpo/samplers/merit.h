#pragma once
// How good an ended trial was, for samplers that rank them.

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>

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

}  // namespace hpo
