// In single precision: computed in double precision, with shorter polynomials where that is
// quicker, and rounded once more.
#include "kernels/elementary/elementary.h"
#include "kernels/elementary/exp_parts.h"
#include "kernels/elementary/log_parts.h"

using namespace kern::elementary;

namespace {

/// exp(x) within 2^-31, relatively, for |x| < 150: beyond, nothing is left but 0 and infinity,
/// which the conversion to float gives.
double short_exp(double x) {
  const double shifted = x * 0x1.71547652b82fep+8 + kRounds;
  const double r = x - (shifted - kRounds) * 0x1.62e42fefa39efp-9;
  const auto n = static_cast<std::int32_t>(bits(shifted));
  const double power = kPowers[static_cast<std::size_t>(n & (kPowersPerOctave - 1))].value;
  const double scale = scaled(power, n >> 8);
  return scale + scale * (r + r * r * 0.5);
}

}  // namespace

float expf(float x) noexcept {
  if (!(x < 150 && x > -150)) [[unlikely]]
    return static_cast<float>(exp(double{x}));
  return static_cast<float>(short_exp(x));
}

float logf(float x) noexcept {
  if (!(x > 0 && x <= 0x1.fffffep+127f)) [[unlikely]]
    return static_cast<float>(log(double{x}));
  const Reduced of = reduced(bits(x));
  const Log& log = kLogTable[of.interval];
  const double r = (of.z - log.c) * log.inverse, r2 = r * r;
  const double head = of.octave * kLn2.hi + log.hi;
  return static_cast<float>(head + (r + r2 * ((-0.5 + r * 0x1.5555555555555p-2) + r2 * -0.25)));
}

float log1pf(float x) noexcept { return static_cast<float>(log1p(double{x})); }
float tanhf(float x) noexcept { return static_cast<float>(tanh(double{x})); }

float powf(float x, float y) noexcept {
  if (x > 0 && x <= 0x1.fffffep+127f) [[likely]] {
    const Reduced of = reduced(bits(x));
    const Log& log = kLogTable[of.interval];
    const double r = (of.z - log.c) * log.inverse, r2 = r * r;
    const double quartic = r2 * (-0.25 + r * 0.2);
    const double rest = r + r2 * ((-0.5 + r * 0x1.5555555555555p-2) + quartic);
    const double power = y * ((of.octave * kLn2.hi + log.hi) + rest);
    if (power > -150 && power < 150) return static_cast<float>(short_exp(power));
  }
  return static_cast<float>(pow(double{x}, double{y}));
}
