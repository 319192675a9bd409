#include "hpo/space/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

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
  return base::cat(min ? base::cat(base::format_double(*min), " <= ") : "", metric,
                   max ? base::cat(" <= ", base::format_double(*max)) : "");
}

}  // namespace hpo
