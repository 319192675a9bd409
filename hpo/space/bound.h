#pragma once
// What a metric of a trial may be at most or at least.

#include <algorithm>
#include <optional>
#include <string>

namespace hpo {

struct Bound {
  std::string metric;
  std::optional<double> min = {}, max = {};

  /// By how much `value` lies outside, as a share of the bound (of a bound of 0: as it is);
  /// negative inside: how far from the nearest bound. Infinite for NaN.
  [[nodiscard]] double beyond(double value) const;
  /// The same with 0 inside.
  [[nodiscard]] double excess(double value) const { return std::max(0.0, beyond(value)); }
  /// "weights <= 200000", "0.5 <= valid.f1 <= 0.9".
  [[nodiscard]] std::string text() const;

  bool operator==(const Bound&) const = default;
};

}  // namespace hpo
