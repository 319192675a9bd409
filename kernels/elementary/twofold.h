#pragma once
// Exact sums and products of two doubles, without fused multiply-add: the low part is the rounding
// error of the high part (Dekker, "A floating-point technique for extending the available
// precision", 1971; Knuth, TAOCP 2, 4.2.2). Round to nearest is assumed.

#include <bit>
#include <cstdint>

namespace kern::elementary {

/// hi + lo, not evaluated; |lo| is at most half an ulp of hi.
struct Twofold {
  double hi, lo;
};

/// a + b, exact; a is 0 or |a| >= |b|.
constexpr Twofold ordered_sum(double a, double b) {
  const double s = a + b;
  return {s, (a - s) + b};
}

/// a + b, exact.
constexpr Twofold sum(double a, double b) {
  const double s = a + b, from_b = s - a;
  return {s, (a - (s - from_b)) + (b - from_b)};
}

/// The upper 26 bits of x, and the rest.
constexpr Twofold split(double x) {
  const double hi = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) & ~0x7ffffffULL);
  return {hi, x - hi};
}

/// a * b, exact unless it overflows or its lowest bit underflows.
constexpr Twofold product(double a, double b) {
  const Twofold x = split(a), y = split(b);
  const double p = a * b;
  return {p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

// What the tables are made with: relative errors of a few 2^-104.

constexpr Twofold operator+(Twofold a, Twofold b) {
  const Twofold s = sum(a.hi, b.hi), t = sum(a.lo, b.lo);
  const Twofold u = ordered_sum(s.hi, s.lo + t.hi);
  return ordered_sum(u.hi, u.lo + t.lo);
}

constexpr Twofold operator*(Twofold a, Twofold b) {
  const Twofold p = product(a.hi, b.hi);
  return ordered_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

constexpr Twofold operator-(Twofold a) { return {-a.hi, -a.lo}; }
constexpr Twofold operator-(Twofold a, Twofold b) { return a + -b; }

constexpr Twofold operator/(Twofold a, Twofold b) {
  const double first = a.hi / b.hi;
  const Twofold rest = a - b * Twofold{first, 0};
  const double second = rest.hi / b.hi;
  const Twofold last = rest - b * Twofold{second, 0};
  return ordered_sum(first, second) + Twofold{last.hi / b.hi, 0};
}

/// The bits of a double.
constexpr std::uint64_t bits(double x) { return std::bit_cast<std::uint64_t>(x); }
constexpr double from_bits(std::uint64_t x) { return std::bit_cast<double>(x); }

}  // namespace kern::elementary
