#include "kernels/elementary/elementary.h"
#include "kernels/elementary/twofold.h"

using namespace kern::elementary;

namespace {

/// sqrt(a^2 + b^2), a >= b, where the squares stay normal numbers. The sum, rounded once, costs
/// 0.36 ulp at most.
double unscaled_hypot(double a, double b) {
  const Twofold a2 = product(a, a), b2 = product(b, b), square = ordered_sum(a2.hi, b2.hi);
  return __builtin_sqrt(square.hi + (square.lo + (a2.lo + b2.lo)));
}

/// Where a square would leave the normal numbers, a number is none, or infinite.
double unusual_hypot(double a, double b) {
  if (bits(a) == kInfinity || bits(b) == kInfinity) return from_bits(kInfinity);
  // The smaller is less than half an ulp of the larger, or one of them is no number.
  if (!(b >= a * 0x1p-60) || b == 0) return a + b;
  if (a > 1) return 0x1p600 * unscaled_hypot(a * 0x1p-600, b * 0x1p-600);
  return 0x1p-600 * unscaled_hypot(a * 0x1p600, b * 0x1p600);
}

}  // namespace

double hypot(double x, double y) noexcept {
  const double a = from_bits(bits(x) & kMagnitude), b = from_bits(bits(y) & kMagnitude);
  const double larger = a > b ? a : b, smaller = a > b ? b : a;
  if (larger < 0x1p500 && smaller > 0x1p-400) [[likely]]
    return unscaled_hypot(larger, smaller);
  return unusual_hypot(larger, smaller);
}
