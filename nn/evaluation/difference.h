#pragma once
// How sure it is that one predictor is better than another, from what both answered on the same
// rows.

#include <compare>
#include <cstdint>
#include <span>

#include "nn/evaluation/measurement.h"

namespace nn {

/// By how much the first of two predictors is better, in the unit of the metric. Encodable.
struct Difference {
  double value = 0;  ///< positive if the first one is better, whichever way the metric goes
  /// 95% confidence interval; both NaN if there are fewer than two observations, or if an answer
  /// is no number.
  double low = 0, high = 0;
  std::int64_t rows = 0;
  std::int64_t units = 0;  ///< independent observations: rows, groups or stretches of time
  auto operator<=>(const Difference&) const = default;
};

/// Resamples of a metric that is no mean over rows.
inline constexpr int kDraws = 2000;

/// Compares two measurements of the same metric on the same rows. `units` names the observation
/// that each row belongs to; empty: each row is one. A pure function of the arguments.
///
/// - Answers that are right or wrong, each row one observation: the interval for matched
///   proportions of Agresti and Min, "Simple improved confidence intervals for comparing matched
///   proportions" (2005), section 2.
/// - Other means: Student's t over the sums of the observations (a ratio estimator, Cochran,
///   "Sampling techniques" (1977), equation 6.13).
/// - Other metrics: kDraws bootstrap resamples of the observations, with the expanded percentile
///   interval of Hesterberg, "What teachers should know about the bootstrap" (2015), section 5.3.
[[nodiscard]] Difference difference_of(const Measurement& first, const Measurement& second,
                                       std::span<const std::uint32_t> units, std::uint64_t seed);

/// A measured metric, and where it would lie on other rows like these. Encodable.
struct Estimate {
  double value = 0;
  double error = 0;          ///< standard error
  double low = 0, high = 0;  ///< 95% interval; NaN, as `error`, where a Difference has none
  auto operator<=>(const Estimate&) const = default;
};

/// Estimates a measurement by the same methods. A share p of n rows counts as (n p + 2) of n + 4
/// for its error, so that a score of 1 has one, and has the interval of Wilson (1927).
[[nodiscard]] Estimate estimate_of(const Measurement& measured,
                                   std::span<const std::uint32_t> units, std::uint64_t seed);

}  // namespace nn
