#pragma once
// The standard normal distribution.

namespace hpo {

/// log(sqrt(2 pi)): minus the log of the density at 0.
inline constexpr double kLogRoot2Pi = 0.918938533204672742;

/// P(N(0, 1) <= x), to about 1e-15 relative in the lower tail.
[[nodiscard]] double normal_cdf(double x);

/// P(a < N(0, 1) <= b) for a <= b, without cancellation in either tail.
[[nodiscard]] double normal_mass(double a, double b);

/// The x with normal_cdf(x) == p; p is clamped to [1e-300, 1 - 1e-16]. Wichura, "Algorithm AS 241:
/// the percentage points of the normal distribution", Applied Statistics 37 (1988), to about 1e-15.
[[nodiscard]] double normal_quantile(double p);

}  // namespace hpo
