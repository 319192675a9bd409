// In single precision: computed in double precision, with shorter polynomials where that is
// quicker, and rounded once more.
#include "kernels/elementary/elementary.h"
#include "kernels/elementary/exp_parts.h"
#include "kernels/elementary/log_parts.h"

using namespace kern::elementary;

float expf(float x) noexcept {
  // Beyond 150 nothing is left but 0 and infinity, which the conversion gives.
  if (!(x < 150 && x > -150)) [[unlikely]]
    return static_cast<float>(exp(x));
  const double shifted = x * 0x1.71547652b82fep+8 + kRounds;
  const double r = x - (shifted - kRounds) * 0x1.62e42fefa39efp-9;
  const auto n = static_cast<std::int32_t>(bits(shifted));
  const double power = kPowers[static_cast<std::size_t>(n & (kPowersPerOctave - 1))].value;
  const double scale = from_bits(bits(power) + (static_cast<std::uint64_t>(n >> 8) << 52));
  return static_cast<float>(scale + scale * (r + r * r * 0.5));
}

float logf(float x) noexcept {
  if (!(x > 0 && x <= 0x1.fffffep+127f)) [[unlikely]]
    return static_cast<float>(log(x));
  const Reduced of = reduced(bits(x));
  const Log& log = kLogTable[of.interval];
  const double r = (of.z - log.c) * log.inverse, r2 = r * r;
  const double head = of.octave * kLn2.hi + log.hi;
  return static_cast<float>(head + (r + r2 * ((-0.5 + r * 0x1.5555555555555p-2) + r2 * -0.25)));
}

float log1pf(float x) noexcept { return static_cast<float>(log1p(x)); }
float tanhf(float x) noexcept { return static_cast<float>(tanh(x)); }

float powf(float x, float y) noexcept {
  const double exponent = y;
  if (x > 0 && x <= 0x1.fffffep+127f) [[likely]] {
    const double power = exponent * log(x);
    if (power > -150 && power < 150) return static_cast<float>(near(exp_parts(power)));
  }
  return static_cast<float>(pow(x, exponent));
}
