#pragma once
// The trials that no other one beats, where several metrics are searched for.

#include <cstdint>
#include <optional>
#include <vector>

#include "hpo/log/objective.h"

namespace hpo {

struct TrialFront {
  /// Numbers of the trials, by the first metric, best first.
  std::vector<std::uint64_t> trials;
  /// What they cover up to the metrics' references, each metric in its own unit; where a metric has
  /// none, up to the worst value of a complete trial that breaks no bound.
  /// Nothing where that would take long: with many metrics and many trials.
  std::optional<double> hypervolume;

  [[nodiscard]] bool has(std::uint64_t trial) const;
};

/// The front of the complete trials that break no bound. Of trials that are equal in all metrics
/// the first.
[[nodiscard]] TrialFront front_of(const std::vector<TrialRow>& trials, const Objective& objective);

}  // namespace hpo
