#include "kernels/elementary/elementary.h"
#include "kernels/elementary/exp_parts.h"

using namespace kern::elementary;

namespace {

// |x| outside of [2^-54, 512): the result is 1 to the last bit, or may leave the normal numbers.
constexpr std::uint64_t kLeast = 0x3c90000000000000, kMost = 0x4080000000000000;

bool is_ordinary(double x) { return (bits(x) & kMagnitude) - kLeast < kMost - kLeast; }

// Beyond these, the results overflow and round to 0.
constexpr double kOverflows = 0x1.62e42fefa39efp+9, kVanishes = -0x1.74910d52d3052p+9;

[[gnu::noinline]] double unusual_exp(double x) {
  if ((bits(x) & kMagnitude) < kLeast || x != x) return 1 + x;
  if (x > kOverflows) return kHuge * kHuge;
  if (x < kVanishes) return kTiny * kTiny;
  return far(exp_parts(x));
}

ExpParts exp2_parts(double x) {
  const double shifted = x * kPowersPerOctave + kRounds;
  const double n = (shifted - kRounds) * (1.0 / kPowersPerOctave);
  return exp_parts_of(shifted, (x - n) * kLn2.hi);
}

[[gnu::noinline]] double unusual_exp2(double x) {
  if ((bits(x) & kMagnitude) < kLeast || x != x) return 1 + x;
  if (x >= 1024) return kHuge * kHuge;
  if (x <= -1075) return kTiny * kTiny;
  return far(exp2_parts(x));
}

// exp(x) - 1 for |x| < 0.35, where the difference would lose digits.
double small_expm1(double x) {
  const double x2 = x * x;
  double p = 0x1.1f6942ca28386p-29;
  p = p * x + 0x1.af3cd7b3560d9p-26;
  p = p * x + 0x1.27e4e0f0f6358p-22;
  p = p * x + 0x1.71de0be80e7e8p-19;
  p = p * x + 0x1.a01a01a4be7f8p-16;
  p = p * x + 0x1.a01a01a83a3a3p-13;
  p = p * x + 0x1.6c16c16c1678ap-10;
  p = p * x + 0x1.111111111091ap-7;
  p = p * x + 0x1.5555555555555p-5;
  p = p * x + 0x1.5555555555556p-3;
  const Twofold square = product(x, x), head = ordered_sum(x, 0.5 * square.hi);
  return head.hi + (head.lo + 0.5 * square.lo + x2 * x * p);
}

}  // namespace

double exp(double x) noexcept {
  if (!is_ordinary(x)) [[unlikely]]
    return unusual_exp(x);
  return near(exp_parts(x));
}

double exp2(double x) noexcept {
  if (!is_ordinary(x)) [[unlikely]]
    return unusual_exp2(x);
  return near(exp2_parts(x));
}

double expm1(double x) noexcept {
  const std::uint64_t magnitude = bits(x) & kMagnitude;
  if (magnitude < bits(0.35)) return magnitude < bits(0x1p-54) ? x : small_expm1(x);
  if (x != x) return x;
  if (x > kOverflows) return kHuge * kHuge;
  if (x < -40) return -1 + kTiny;
  const ExpParts e = exp_parts(x);
  // 2^1024 is no number, and far from there 1 takes nothing away.
  if (e.octave > 60) return far(e);
  const double scale = scaled(e.value, e.octave);
  const Twofold head = sum(scale, -1);
  return head.hi + (head.lo + scale * e.tail);
}
