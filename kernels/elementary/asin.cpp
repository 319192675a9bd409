#include "kernels/elementary/elementary.h"
#include "kernels/elementary/twofold.h"

using namespace kern::elementary;

namespace {

constexpr Twofold kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// (asin(x) - x) / x for x^2 = x2, at most 0.25: a minimax fit.
double beyond_linear(double x2) {
  double p = 0x1.d72b2bc8155f8p-6;
  p = p * x2 - 0x1.e6aaa8a0a04ccp-7;
  p = p * x2 + 0x1.1d189408314eep-6;
  p = p * x2 + 0x1.65a9c4dfcf8b2p-8;
  p = p * x2 + 0x1.52420b04b37bep-7;
  p = p * x2 + 0x1.782651caa6547p-7;
  p = p * x2 + 0x1.c9cf07674736ap-7;
  p = p * x2 + 0x1.1c4d35cf95421p-6;
  p = p * x2 + 0x1.6e8bb1c8209a2p-6;
  p = p * x2 + 0x1.f1c71c1db0623p-6;
  p = p * x2 + 0x1.6db6db6e31f13p-5;
  p = p * x2 + 0x1.3333333332ecap-4;
  p = p * x2 + 0x1.5555555555556p-3;
  return p * x2;
}

// pi/2 - 2 asin(sqrt((1 - x) / 2)).
double large_asin(double x) {
  const double square = 0.5 * (1 - x), root = __builtin_sqrt(square);
  const Twofold back = product(root, root);
  const double low = root == 0 ? 0 : ((square - back.hi) - back.lo) / (2 * root);
  const Twofold head = ordered_sum(kHalfPi.hi, -2 * root);
  return head.hi + (head.lo + (kHalfPi.lo - 2 * (low + root * beyond_linear(square))));
}

}  // namespace

double asin(double x) noexcept {
  const double magnitude = from_bits(bits(x) & kMagnitude);
  if (magnitude < 0.5) return magnitude < 0x1p-27 ? x : x + x * beyond_linear(x * x);
  if (!(magnitude <= 1)) return (x - x) / 0.0;
  return x < 0 ? -large_asin(magnitude) : large_asin(magnitude);
}
