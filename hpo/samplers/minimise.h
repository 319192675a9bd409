#pragma once
// Minima of smooth functions within bounds.

#include <functional>
#include <span>
#include <vector>

namespace hpo {

/// A function of x [n] that writes its gradient [n] and returns its value.
using Smooth = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct Bounds {
  std::vector<double> low, high;  ///< [n]
};

/// When minimise() is content.
struct Effort {
  int most_steps = 50;
  double gradient = 1e-3;  ///< largest component that counts as flat
};

/// Goes downhill from `x`, which lies within the bounds, and returns where it came to: a projected
/// quasi-Newton method with the limited memory of Nocedal, "Updating quasi-Newton matrices with
/// limited storage" (Math. Comp. 35, 1980). Takes at most some twenty values a step. A value that
/// is no number counts as too high to go to.
[[nodiscard]] std::vector<double> minimise(const Smooth& function, std::vector<double> x,
                                           const Bounds& bounds, const Effort& effort = {});

}  // namespace hpo
