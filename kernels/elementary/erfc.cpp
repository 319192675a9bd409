// erfc(x) = exp(-x^2) g(x). g, which falls slowly, is expanded around the middles of 64 intervals.
#include <array>
#include <cstddef>

#include "kernels/elementary/elementary.h"
#include "kernels/elementary/exp_parts.h"

using namespace kern::elementary;

namespace {

constexpr Twofold kTwoOverRootPi{0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56};
constexpr double kFrom = 0.125;  // up to 32, in octaves of eight intervals
constexpr int kIntervalBits = 49;
constexpr std::size_t kIntervals = 64, kTerms = 14;

constexpr Twofold of(double x) { return {x, 0}; }

/// exp(x) for 0 <= x < 4.
constexpr Twofold series_exp(double x) {
  Twofold sum{1, 0};
  for (int n = 20; n > 0; --n) sum = of(1) + sum * of(x / 16) / of(n);
  for (int squares = 0; squares < 4; ++squares) sum = sum * sum;
  return sum;
}

/// g(x): for small x from the series of erf, else from a continued fraction.
constexpr Twofold scaled_erfc(double x) {
  const Twofold square = product(x, x);
  if (x < 2) {
    Twofold sum{1, 0};
    for (int n = 50; n > 0; --n) sum = of(1) + sum * (of(2) * square) / of(2 * n + 1);
    return series_exp(square.hi) - kTwoOverRootPi * of(x) * sum;
  }
  Twofold fraction = of(x);
  for (int n = 20 + static_cast<int>(670 / square.hi); n > 0; --n)
    fraction = of(x) + of(0.5 * n) / fraction;
  return kTwoOverRootPi * of(0.5) / fraction;
}

/// Coefficients of the powers of x - middle; the first has two parts.
struct Expansion {
  double middle, low;
  std::array<double, kTerms> terms;
};

constexpr Expansion expand(double middle) {
  // g' = 2 x g - 2 / sqrt(pi), so each coefficient follows from the two before it.
  Expansion e{middle, 0, {}};
  Twofold before{0, 0}, now = scaled_erfc(middle);
  e.low = now.lo;
  for (std::size_t n = 0; n < kTerms; ++n) {
    e.terms[n] = now.hi;
    Twofold next = of(2 * middle) * now + of(2) * before;
    if (n == 0) next = next - kTwoOverRootPi;
    before = now;
    now = next / of(static_cast<double>(n + 1));
  }
  return e;
}

constexpr std::array<Expansion, kIntervals> make_expansions() {
  std::array<Expansion, kIntervals> all{};
  for (std::size_t i = 0; i < kIntervals; ++i) {
    const double from = from_bits(bits(kFrom) + (i << kIntervalBits));
    const double to = from_bits(bits(kFrom) + ((i + 1) << kIntervalBits));
    all[i] = expand(0.5 * (from + to));
  }
  return all;
}

constexpr std::array<Expansion, kIntervals> kExpansions = make_expansions();

const Expansion& interval_of(double x) {
  return kExpansions[(bits(x) - bits(kFrom)) >> kIntervalBits];
}

/// erfc(x), kFrom <= x < 28.
double positive_erfc(double x) {
  const Expansion& e = interval_of(x);
  const double t = x - e.middle;
  const auto& c = e.terms;
  const double t2 = t * t, t4 = t2 * t2;
  const double p = ((c[1] + c[2] * t) + (c[3] + c[4] * t) * t2) +
                   t4 * (((c[5] + c[6] * t) + (c[7] + c[8] * t) * t2) +
                         t4 * (((c[9] + c[10] * t) + (c[11] + c[12] * t) * t2) + t4 * c[13]));
  const Twofold g = ordered_sum(c[0], p * t);
  const Twofold square = product(x, x);
  const ExpParts parts = exp_parts(-square.hi, -square.lo);
  const Twofold scaled = product(parts.value, g.hi);
  const double low = scaled.lo + parts.value * (g.hi * parts.tail + (g.lo + e.low));
  return times_power(scaled.hi + low, parts.octave);
}

/// 1 - erf(x), |x| < kFrom.
double small_erfc(double x) {
  const double x2 = x * x;
  double p = 0x1.f9a326f9b89b7p-14;
  p = p * x2 - 0x1.c02db40040b86p-11;
  p = p * x2 + 0x1.565bcd0e6a53fp-8;
  p = p * x2 - 0x1.b82ce31288b51p-6;
  p = p * x2 + 0x1.ce2f21a042be2p-4;
  p = p * x2 - 0x1.812746b0379e7p-2;
  return 1 - (x * kTwoOverRootPi.hi + (x * x2 * p + x * kTwoOverRootPi.lo));
}

}  // namespace

double erfc(double x) noexcept {
  const double magnitude = from_bits(bits(x) & kMagnitude);
  if (magnitude < kFrom) return small_erfc(x);
  if (x != x) return x;
  if (magnitude >= 28) return x < 0 ? 2 - kTiny : kTiny * kTiny;
  return x < 0 ? 2 - positive_erfc(magnitude) : positive_erfc(magnitude);
}

float erfcf(float x) noexcept {
  const float magnitude = x < 0 ? -x : x;
  if (!(magnitude >= kFrom && magnitude < 12)) return static_cast<float>(erfc(double{x}));
  // The square of a float is exact.
  const double at = magnitude, t = at - interval_of(at).middle;
  const auto& c = interval_of(at).terms;
  const double t2 = t * t;
  const double g =
      (c[0] + c[1] * t) + t2 * ((c[2] + c[3] * t) + t2 * ((c[4] + c[5] * t) + t2 * c[6]));
  const ExpParts parts = exp_parts(-at * at);
  const double result = g * near(parts);
  return static_cast<float>(x < 0 ? 2 - result : result);
}
