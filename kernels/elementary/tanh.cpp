#include "kernels/elementary/elementary.h"
#include "kernels/elementary/exp_parts.h"

using namespace kern::elementary;

namespace {

double small_tanh(double x) {
  const double x2 = x * x;
  double p = 0x1.0bdf304f99aafp-11;
  p = p * x2 - 0x1.7ab0c8b40a0eep-10;
  p = p * x2 + 0x1.d6b77a084310dp-9;
  p = p * x2 - 0x1.226de973098b5p-7;
  p = p * x2 + 0x1.664f47a52e33ep-6;
  p = p * x2 - 0x1.ba1ba1b8dd76fp-5;
  p = p * x2 + 0x1.1111111110b9fp-3;
  p = p * x2 - 0x1.5555555555555p-2;
  return x + x * x2 * p;
}

// 1 - 2 / (exp(2x) + 1), x > 0.
double large_tanh(double x) {
  const ExpParts e = exp_parts(2 * x);
  const double scale = scaled(e.value, e.octave);
  const Twofold head = ordered_sum(scale, 1);
  const Twofold below = ordered_sum(head.hi, head.lo + scale * e.tail);
  const double quotient = 2 / below.hi;
  const Twofold back = product(quotient, below.hi);
  const double missing = (((2 - back.hi) - back.lo) - quotient * below.lo) / below.hi;
  const Twofold result = ordered_sum(1, -quotient);
  return result.hi + (result.lo - missing);
}

}  // namespace

double tanh(double x) noexcept {
  const double magnitude = from_bits(bits(x) & kMagnitude);
  if (magnitude < 0.3) return magnitude < 0x1p-28 ? x : small_tanh(x);
  if (x != x) return x;
  const double result = magnitude > 20 ? 1 : large_tanh(magnitude);
  return x < 0 ? -result : result;
}
