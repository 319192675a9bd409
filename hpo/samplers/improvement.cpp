#include "hpo/samplers/improvement.h"

#include <cmath>

#include "hpo/space/normal.h"

namespace hpo {

namespace {

constexpr double kTail = 5;    // beyond it P(N > x) / density comes from its continued fraction
constexpr double kFar = 1000;  // beyond it from its first terms
constexpr int kTerms = 60;

/// P(N > x) / density of N at x, for x > 0 (Mills' ratio).
double mills(double x) {
  if (x < kTail) return normal_cdf(-x) * std::exp(0.5 * x * x + kLogRoot2Pi);
  double tail = x;
  for (int k = kTerms; k > 0; --k) tail = x + k / tail;
  return 1 / tail;
}

}  // namespace

Improvement log_improvement(double mean, double deviation, double best) {
  const double u = (best - mean) / deviation;
  const double log_density = -0.5 * u * u - kLogRoot2Pi;
  if (u > -1) {
    const double below = normal_cdf(u), density = std::exp(log_density);
    const double expected = density + u * below;
    return {.log = std::log(expected) + std::log(deviation),
            .by_mean = -below / (expected * deviation),
            .by_deviation = density / (expected * deviation)};
  }
  // density * share, where share = 1 - x mills(x) for x = -u.
  const double ratio = u > -kFar ? mills(-u) : -1 / u;
  const double share = u > -kFar ? 1 + u * ratio : 1 / (u * u);
  return {.log = log_density + std::log(share) + std::log(deviation),
          .by_mean = -ratio / (share * deviation),
          .by_deviation = 1 / (share * deviation)};
}

}  // namespace hpo
