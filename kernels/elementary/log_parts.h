#pragma once
// What every logarithm here is computed with: x = 2^k z, a table of numbers c near z with their
// inverses, and a polynomial of r = z/c - 1 (Tang, "Table-driven implementation of the logarithm
// function in IEEE floating-point arithmetic", ACM TOMS 16, 1990; c as Gal and Bachelis choose it,
// ACM TOMS 17, 1991).

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/elementary/twofold.h"

namespace kern::elementary {

// z is from just below sqrt(1/2) to just below sqrt(2). An interval of the table reaches from
// 1 - 2^-9 to 1 + 2^-8: near 1, where log(z) is small, c is 1 and r has no error.
inline constexpr std::uint64_t kFirst = 0x3fe6900000000000;
inline constexpr int kStepBits = 45;
inline constexpr std::size_t kLogs = 128;

// ln(2) in two parts, of which the first is a multiple of 2^-42.
inline constexpr Twofold kLn2Parts{0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};

/// ln(c) = hi + lo; hi is a multiple of 2^-42, so that sums with multiples of ln(2) are exact.
struct Log {
  double c, inverse, hi, lo;
};

/// The middle of an interval of z, and 1 for the one around 1.
constexpr double middle(std::size_t i) {
  const double from = from_bits(kFirst + (i << kStepBits));
  const double to = from_bits(kFirst + ((i + 1) << kStepBits));
  return from < 1 && to > 1 ? 1 : 0.5 * (from + to);
}

constexpr double nearest_multiple(double x, double of) {
  const double rounds = 0x1.8p52 * of;
  return (x + rounds) - rounds;
}

/// ln(x) for 0.5 < x < 2, from 2 atanh((x - 1) / (x + 1)).
constexpr Twofold series_log(double x) {
  const Twofold u = Twofold{x - 1, 0} / sum(x, 1), square = u * u;
  Twofold sum{0, 0};
  for (int n = 61; n > 0; n -= 2) sum = sum * square + Twofold{1, 0} / Twofold{double(n), 0};
  return sum * u * Twofold{2, 0};
}

constexpr Log log_with(double c, double inverse, Twofold log) {
  const double hi = nearest_multiple(log.hi, 0x1p-42);
  return {c, inverse, hi, (log - Twofold{hi, 0}).hi};
}

namespace detail {

/// The middle of an interval, but of the two beside that of 1 a number nearer to 1: r is small then
/// where the logarithm is, and with it the error of r.
constexpr double near_one(std::size_t i) {
  const bool is_beside = (i > 0 && middle(i - 1) == 1) || (i + 1 < kLogs && middle(i + 1) == 1);
  return is_beside ? 0.75 * middle(i) + 0.25 : middle(i);
}

/// The number near x whose inverse is nearest to a double, relatively: within 2^-58.
constexpr double nearly_inverted(double x) {
  double best = x, least = 1;
  for (int i = -64; i <= 64; ++i) {
    const double c = x + i * 0x1p-24;
    const Twofold one = product(c, 1 / c);
    const double error = (one.hi - 1) + one.lo, size = error < 0 ? -error : error;
    if (size < least) {
      best = c;
      least = size;
    }
  }
  return best;
}

constexpr std::array<Log, kLogs> make_logs() {
  std::array<Log, kLogs> logs{};
  for (std::size_t i = 0; i < kLogs; ++i) {
    const double c = middle(i) == 1 ? 1 : nearly_inverted(near_one(i));
    logs[i] = log_with(c, 1 / c, series_log(c));
  }
  return logs;
}

}  // namespace detail

inline constexpr std::array<Log, kLogs> kLogTable = detail::make_logs();

/// x = 2^octave z, and the interval of z.
struct Reduced {
  double z, octave;
  std::size_t interval;
};

/// Of a positive normal number's bits.
inline Reduced reduced(std::uint64_t x) {
  const std::uint64_t offset = x - kFirst;
  const std::int64_t octave = static_cast<std::int64_t>(offset) >> 52;
  return {from_bits(x - (static_cast<std::uint64_t>(octave) << 52)),
          static_cast<double>(static_cast<std::int32_t>(octave)),
          (offset >> kStepBits) & (kLogs - 1)};
}

/// ln(x) for a positive normal number's bits, in two parts. r is wrong by half an ulp, which is a
/// quarter of an ulp of the smallest results at most.
inline Twofold log_of(std::uint64_t x) {
  const Reduced of = reduced(x);
  const Log& log = kLogTable[of.interval];
  const double r = (of.z - log.c) * log.inverse, r2 = r * r;
  const Twofold head = ordered_sum(of.octave * kLn2Parts.hi + log.hi, r);
  const double low = of.octave * kLn2Parts.lo + log.lo;
  // A minimax fit of ln(1 + r) - r.
  const double upper = -0x1.5557ad58a119bp-3 + r * 0x1.24945e7ce6ae2p-3;
  const double middle = (-0x1.fffffffea06d8p-3 + r * 0x1.9999999861176p-3) + r2 * upper;
  return {head.hi, head.lo + (low + r2 * ((-0.5 + r * 0x1.5555555555556p-2) + r2 * middle))};
}

}  // namespace kern::elementary
