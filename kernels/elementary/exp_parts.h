#pragma once
// What every exponential here is computed with: a table of 2^(i/256) and a polynomial of the rest
// (Tang, "Table-driven implementation of the exponential function in IEEE floating-point
// arithmetic", ACM TOMS 15, 1989). The polynomial is a minimax fit.

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/elementary/twofold.h"

namespace kern::elementary {

inline constexpr Twofold kLn2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
inline constexpr int kPowersPerOctave = 256;

/// 2^(i/256) = value * (1 + tail).
struct Power {
  double value, tail;
};

namespace detail {

/// exp(x) for 0 <= x < 1.
constexpr Twofold series_exp(Twofold x) {
  Twofold sum{1, 0};
  for (int n = 30; n > 0; --n) sum = Twofold{1, 0} + x / Twofold{double(n), 0} * sum;
  return sum;
}

constexpr std::array<Power, kPowersPerOctave> make_powers() {
  std::array<Power, kPowersPerOctave> powers{};
  const Twofold root = series_exp(kLn2 / Twofold{kPowersPerOctave, 0});
  Twofold power{1, 0};
  for (Power& p : powers) {
    p = {power.hi, power.lo / power.hi};
    power = power * root;
  }
  return powers;
}

}  // namespace detail

inline constexpr std::array<Power, kPowersPerOctave> kPowers = detail::make_powers();

/// exp(x) = 2^octave * value * (1 + tail), value in [1, 2), |tail| < 0.0014.
struct ExpParts {
  std::int64_t octave;
  double value, tail;
};

// Adding it rounds to an integer, which then stands in the low bits.
inline constexpr double kRounds = 0x1.8p52;

/// exp(r) - 1 - r for |r| < 0.00136.
constexpr double beyond_linear(double r) {
  return r * r * (0.5 + r * (0x1.555556deeba2fp-3 + r * 0x1.5555565bb988fp-5));
}

/// The power that `shifted` counts, and exp(r).
inline ExpParts exp_parts_of(double shifted, double r) {
  const auto n = static_cast<std::int32_t>(bits(shifted));
  const Power& power = kPowers[static_cast<std::size_t>(n & (kPowersPerOctave - 1))];
  return {n >> 8, power.value, power.tail + (r + beyond_linear(r))};
}

/// Of exp(x + low), |x| < 800, |low| < 2^-20.
inline ExpParts exp_parts(double x, double low = 0) {
  const double shifted = x * 0x1.71547652b82fep+8 + kRounds, n = shifted - kRounds;
  // ln(2)/256 in two parts; n times the first is exact.
  const double r = ((x - n * 0x1.62e42fef00000p-9) - n * 0x1.473de6af278edp-42) + low;
  return exp_parts_of(shifted, r);
}

/// x 2^octave for a normal x, where the result is normal, too.
inline double scaled(double x, std::int64_t octave) {
  return from_bits(bits(x) + (static_cast<std::uint64_t>(octave) << 52));
}

/// The product of the parts where neither it nor 2^octave leaves the normal numbers.
inline double near(const ExpParts& e) {
  const double scale = scaled(e.value, e.octave);
  return scale + scale * e.tail;
}

/// x 2^octave, -2040 < octave < 2040. A subnormal result is rounded twice, which costs it a quarter
/// of an ulp at most.
inline double times_power(double x, std::int64_t octave) {
  const std::int64_t first = octave / 2;
  const auto power = [](std::int64_t n) {
    return from_bits(static_cast<std::uint64_t>(n + 1023) << 52);
  };
  return x * power(first) * power(octave - first);
}

/// The product of the parts.
inline double far(const ExpParts& e) { return times_power(e.value + e.value * e.tail, e.octave); }

}  // namespace kern::elementary
