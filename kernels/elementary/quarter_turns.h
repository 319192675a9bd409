#pragma once
// x = n pi/2 + angle, for sine and cosine.

#include "kernels/elementary/exp_parts.h"
#include "kernels/elementary/twofold.h"

namespace kern::elementary {

/// |angle| is at most pi/4, and within 2^-62 of exact, relatively; n counts modulo 4.
struct QuarterTurns {
  int n;
  Twofold angle;
};

/// Of any finite x, |x| >= 0.5.
QuarterTurns exact_quarter_turns(double x);

/// Of any x, |x| < 2^19.
inline QuarterTurns quarter_turns(double x) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + kRounds, n = shifted - kRounds;
  // pi/2 in 33, 33 and 53 bits. The products with the first two are exact.
  const Twofold first = ordered_sum(x - n * 0x1.921fb544p+0, -(n * 0x1.0b4611a6p-34));
  const Twofold angle = ordered_sum(first.hi, first.lo - n * 0x1.3198a2e037073p-69);
  // Without a turn there is no error, with some it is 2^-102: too much where little is left.
  if (n != 0 && angle.hi < 0x1p-30 && angle.hi > -0x1p-30) [[unlikely]]
    return exact_quarter_turns(x);
  return {static_cast<int>(static_cast<std::int32_t>(bits(shifted))), angle};
}

}  // namespace kern::elementary
