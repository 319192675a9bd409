#include "base/random.h"

#include <Random123/philox.h>

#include <cmath>

namespace base {
namespace {

constexpr double kTwoPi = 6.283185307179586;

/// Natural logarithm for 0 < x <= 1 by the series of atanh: exact operations only, so equal bits
/// everywhere (libm's log is compiled in several versions that differ in the last bit). Relative
/// error below 1e-15.
double plain_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.7071067811865476) m *= 2, --exponent;
  const double s = (m - 1) / (m + 1);
  const double z = s * s;  // at most 0.0295: 12 terms reach 1e-19
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
  return 2 * s * sum + exponent * 0.6931471805599453;
}

struct SinCos {
  double sin, cos;
};

/// Sine and cosine of 2 pi u for 0 <= u < 1: the turn is cut exactly into quarters, the rest is a
/// Taylor series.
SinCos plain_sincos(double u) {
  const int quarter = static_cast<int>(u * 4 + 0.5);
  const double x = (u - quarter * 0.25) * kTwoPi;  // |x| <= pi/4; the difference is exact
  const double z = x * x;
  double s = 1, c = 1;
  for (int k = 18; k >= 2; k -= 2) {
    s = 1 - s * z / (k * (k + 1));
    c = 1 - c * z / (k * (k - 1));
  }
  s *= x;
  switch (quarter & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

}  // namespace

std::array<std::uint32_t, 4> philox_block(std::array<std::uint32_t, 4> counter,
                                          std::array<std::uint32_t, 2> key) noexcept {
  const philox4x32_ctr_t in = {{counter[0], counter[1], counter[2], counter[3]}};
  const philox4x32_key_t k = {{key[0], key[1]}};
  const philox4x32_ctr_t out = philox4x32_R(10, in, k);
  return {out.v[0], out.v[1], out.v[2], out.v[3]};
}

void Stream::refill() noexcept {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  words_ = philox_block({low(block_), high(block_), low(key_.lo), high(key_.lo)},
                        {low(key_.hi), high(key_.hi)});
  ++block_;
  next_ = 0;
}

std::uint32_t Stream::u32() noexcept {
  if (next_ == 4) refill();
  return words_[next_++];
}

std::uint64_t Stream::u64() noexcept {
  const std::uint64_t low = u32();
  return low | static_cast<std::uint64_t>(u32()) << 32;
}

double Stream::uniform() noexcept { return static_cast<double>(u64() >> 11) * 0x1p-53; }

double Stream::normal() noexcept {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const double radius = std::sqrt(-2 * plain_log(1 - uniform()));  // 1 - u lies in (0, 1]
  const auto [s, c] = plain_sincos(uniform());
  spare_ = radius * s;
  has_spare_ = true;
  return radius * c;
}

std::uint64_t Stream::below(std::uint64_t n) noexcept {
  if (n == 0) return 0;
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t threshold = (0 - n) % n;
  for (;;) {
    const Wide product = static_cast<Wide>(u64()) * n;
    if (static_cast<std::uint64_t>(product) >= threshold)
      return static_cast<std::uint64_t>(product >> 64);
  }
}

}  // namespace base
