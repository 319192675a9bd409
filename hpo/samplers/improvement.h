#pragma once
// How much less than the best value so far a point is expected to give.

namespace hpo {

/// The logarithm of the expected improvement, and how it changes with mean and deviation.
struct Improvement {
  double log, by_mean, by_deviation;
};

/// Of a value that is normal with this mean and deviation, below `best`. Exact where nearly nothing
/// is expected, as in Ament et al., "Unexpected improvements to expected improvement" (NeurIPS
/// 2023).
[[nodiscard]] Improvement log_improvement(double mean, double deviation, double best);

}  // namespace hpo
