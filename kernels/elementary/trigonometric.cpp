#include "kernels/elementary/elementary.h"
#include "kernels/elementary/quarter_turns.h"

using namespace kern::elementary;

namespace {

// Both polynomials are minimax fits for |x| <= pi/4.
double sine(Twofold x) {
  const double x2 = x.hi * x.hi;
  const double p = (-0x1.5555555555555p-3 + x2 * 0x1.1111111110bb2p-7) +
                   x2 * x2 *
                       ((-0x1.a01a019e83aa2p-13 + x2 * 0x1.71de379689090p-19) +
                        x2 * x2 * (-0x1.ae600b01a40ccp-26 + x2 * 0x1.5e0b1995f429ap-33));
  return x.hi + (x.hi * x2 * p + x.lo * (1 - 0.5 * x2));
}

double cosine(Twofold x) {
  const double x2 = x.hi * x.hi;
  const double p = (0x1.5555555555555p-5 + x2 * -0x1.6c16c16c16967p-10) +
                   x2 * x2 *
                       ((0x1.a01a019f4eafap-16 + x2 * -0x1.27e4fa17d9864p-22) +
                        x2 * x2 * (0x1.1eeb68e8b2372p-29 + x2 * -0x1.907da304ce77bp-37));
  const Twofold head = ordered_sum(1, -0.5 * x2);
  return head.hi + (head.lo + (x2 * x2 * p - x.hi * x.lo));
}

constexpr double kSmall = 0x1p-27, kLarge = 0x1p19;

bool is_ordinary(double x) {
  return (bits(x) & kMagnitude) - bits(kSmall) < bits(kLarge) - bits(kSmall);
}
bool is_finite(double x) { return (bits(x) & kMagnitude) < kInfinity; }

/// The sine of n pi/2 + angle. Which of the two polynomials it is, is hard to predict; computing
/// both is cheaper than a guess.
double sine_of(int n, Twofold angle) {
  const std::uint64_t odd = -static_cast<std::uint64_t>(n & 1);
  const std::uint64_t sign = static_cast<std::uint64_t>(n & 2) << 62;
  return from_bits(((bits(sine(angle)) & ~odd) | (bits(cosine(angle)) & odd)) ^ sign);
}

/// The sine of x and `turns` quarter turns.
double turned_sine(double x, int turns) {
  if (is_ordinary(x)) [[likely]] {
    const QuarterTurns t = quarter_turns(x);
    return sine_of(t.n + turns, t.angle);
  }
  if (!is_finite(x)) return x - x;
  if ((bits(x) & kMagnitude) < bits(kSmall)) return turns == 0 ? x : 1;
  const QuarterTurns t = exact_quarter_turns(x);
  return sine_of(t.n + turns, t.angle);
}

}  // namespace

double sin(double x) noexcept { return turned_sine(x, 0); }
double cos(double x) noexcept { return turned_sine(x, 1); }

void sincos(double x, double* sine_at, double* cosine_at) noexcept {
  *sine_at = sin(x);
  *cosine_at = cos(x);
}
