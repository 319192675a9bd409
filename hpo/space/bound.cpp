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

double Bound::excess(double value) const {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  double most = 0;
  if (min && value < *min) most = share_of(*min - value, *min);
  if (max && value > *max) most = std::max(most, share_of(value - *max, *max));
  return most;
}

std::string Bound::text() const {
  return rt::cat(min ? rt::cat(rt::format_double(*min), " <= ") : "", metric,
                 max ? rt::cat(" <= ", rt::format_double(*max)) : "");
}

}  // namespace hpo
