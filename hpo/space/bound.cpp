#include "hpo/space/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/base/text.h"

namespace hpo {

namespace {

double share_of(double distance, double bound) {
  return bound == 0 ? distance : distance / std::abs(bound);
}

}  // namespace

double Bound::beyond(double value) const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (std::isnan(value)) return kInfinite;
  double most = -kInfinite;
  if (min) most = share_of(*min - value, *min);
  if (max) most = std::max(most, share_of(value - *max, *max));
  return most;
}

std::string Bound::text() const {
  return rt::cat(min ? rt::cat(rt::format_double(*min), " <= ") : "", metric,
                 max ? rt::cat(" <= ", rt::format_double(*max)) : "");
}

}  // namespace hpo
