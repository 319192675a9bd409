#pragma once
// Matern's kernel of smoothness 5/2.

#include <cmath>

namespace hpo {

/// How alike two values are whose points are apart, and how that changes with the squared distance.
struct Matern {
  double value, slope;
};

[[nodiscard]] inline Matern matern(double squared_distance) {
  const double r = std::sqrt(5 * squared_distance), decay = std::exp(-r);
  return {.value = (1 + r + r * r / 3) * decay, .slope = -5.0 / 6 * (1 + r) * decay};
}

}  // namespace hpo
