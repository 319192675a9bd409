// x^y = exp(y log(x)). y multiplies the error of the logarithm, by up to 2^19 where log(x) is
// small, so the logarithm is computed to 2^-68 here.
#include <array>
#include <cstddef>

#include "kernels/elementary/elementary.h"
#include "kernels/elementary/exp_parts.h"
#include "kernels/elementary/log_parts.h"

using namespace kern::elementary;

namespace {

// 1/c has so few bits here that r is exact in two parts, for the upper 20 bits of z and for the
// rest, and so is the square of the first.
constexpr int kKeptBits = 20;

constexpr std::array<Log, kLogs> make_logs() {
  std::array<Log, kLogs> logs{};
  for (std::size_t i = 0; i < kLogs; ++i) {
    const double inverse = nearest_multiple(1 / middle(i), 0x1p-11);
    logs[i] = log_with(1 / inverse, inverse, -series_log(inverse));
  }
  return logs;
}

constexpr std::array<Log, kLogs> kLogsOfFewBits = make_logs();

/// ln(x) for a positive normal number's bits, within 2^-68 of it, relatively.
Twofold precise_log(std::uint64_t x) {
  const Reduced of = reduced(x);
  const Log& log = kLogsOfFewBits[of.interval];
  constexpr std::uint64_t kHalf = 1ULL << (51 - kKeptBits);
  const double z_hi = from_bits((bits(of.z) + kHalf) & ~(2 * kHalf - 1));
  const double r_hi = z_hi * log.inverse - 1, r_lo = (of.z - z_hi) * log.inverse;
  const double r = r_hi + r_lo, r2 = r * r;
  const double upper =
      -0x1.555555543c134p-3 + r * 0x1.24945e7ce6ae2p-3 + r2 * -0x1.0001e002bf23cp-3;
  const double cubic =
      0x1.5555555555556p-2 + r * -0x1.0000000000001p-2 + r2 * (0x1.9999999861176p-3 + r * upper);
  const double rest = r * r2 * cubic - r_lo * (r_hi + 0.5 * r_lo);
  const Twofold a = ordered_sum(of.octave * kLn2Parts.hi + log.hi, r_hi);
  const Twofold b = ordered_sum(a.hi, -0.5 * r_hi * r_hi), c = ordered_sum(b.hi, r_lo);
  const double low = of.octave * kLn2Parts.lo + log.lo;
  return ordered_sum(c.hi, ((a.lo + b.lo) + low) + (c.lo + rest));
}

enum class Parity { none, even, odd };

/// Whether y is an integer, and which kind.
Parity parity(double y) {
  const int exponent = static_cast<int>(bits(y) >> 52 & 0x7ff) - 1023;
  if (exponent < 0) return Parity::none;
  if (exponent > 52) return Parity::even;
  const std::uint64_t one = 1ULL << (52 - exponent);
  if ((bits(y) & (one - 1)) != 0) return Parity::none;
  return (bits(y) & one) != 0 || exponent == 0 ? Parity::odd : Parity::even;
}

/// x^y where x is 0, infinite or no number, or y is.
double special_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return x + y;
  const std::uint64_t magnitude = bits(x) & kMagnitude;
  if ((bits(y) & kMagnitude) == kInfinity) {
    if (magnitude == bits(1.0)) return 1;
    return (magnitude > bits(1.0)) == (y > 0) ? from_bits(kInfinity) : 0;
  }
  const bool negative = (bits(x) >> 63) != 0 && parity(y) == Parity::odd;
  const double result = (magnitude == 0) == (y < 0) ? from_bits(kInfinity) : 0;
  if (magnitude == 0 && y < 0) return (negative ? -1 : 1) / from_bits(magnitude);
  return negative ? -result : result;
}

/// exp(hi + lo) where 1 is the answer to the last bit, or the result may leave the normal numbers.
double unusual_exp(double hi, double lo) {
  if ((bits(hi) & kMagnitude) < bits(0x1p-54)) return 1 + hi;
  if (hi > 720) return kHuge * kHuge;
  if (hi < -760) return kTiny * kTiny;
  return far(exp_parts(hi, lo));
}

/// x^y for a positive normal number's bits; |y| is from 2^-65 to 2^64.
double positive_pow(std::uint64_t x, double y) {
  const Twofold log = precise_log(x), a = split(y), b = split(log.hi);
  const double hi = a.hi * b.hi, lo = a.lo * b.hi + y * (b.lo + log.lo);
  const std::uint64_t magnitude = bits(hi) & kMagnitude;
  if (magnitude - bits(0x1p-54) >= bits(700.0) - bits(0x1p-54)) [[unlikely]]
    return unusual_exp(hi, lo);
  return near(exp_parts(hi, lo));
}

[[gnu::noinline]] double unusual_pow(double x, double y) {
  const std::uint64_t magnitude = bits(x) & kMagnitude, size = bits(y) & kMagnitude;
  if (magnitude - 1 >= kInfinity - 1 || size - 1 >= kInfinity - 1 || x == 1)
    return special_pow(x, y);
  const Parity kind = (bits(x) >> 63) != 0 ? parity(y) : Parity::even;
  if (kind == Parity::none) return (x - x) / 0.0;
  const double sign = kind == Parity::odd ? -1 : 1;
  if (magnitude == bits(1.0)) return sign;
  if (size < bits(0x1p-65)) return sign * (1 + y);
  if (size >= bits(0x1p64))
    return (magnitude > bits(1.0)) == (y > 0) ? sign * kHuge * kHuge : sign * kTiny * kTiny;
  // A subnormal number times 2^52, less 52 octaves: reduced() only subtracts from its bits.
  const bool is_subnormal = magnitude < (1ULL << 52);
  const std::uint64_t normal =
      is_subnormal ? bits(from_bits(magnitude) * 0x1p52) - (52ULL << 52) : magnitude;
  return sign * positive_pow(normal, y);
}

}  // namespace

double pow(double x, double y) noexcept {
  const std::uint64_t base = bits(x), size = bits(y) & kMagnitude;
  constexpr std::uint64_t kLeastNormal = 0x0010000000000000;
  constexpr std::uint64_t kLeast = bits(0x1p-65), kMost = bits(0x1p64);
  if (base - kLeastNormal >= kInfinity - kLeastNormal || size - kLeast >= kMost - kLeast)
      [[unlikely]]
    return unusual_pow(x, y);
  return positive_pow(base, y);
}
