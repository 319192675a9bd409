#pragma once
// Running means of gradients, and quotients by the root of one.

#include "kernels/cpu/vector/simd.h"

namespace kern::cpu::KERN_ISA {

/// plus(x / (sqrt(v) * correction + epsilon)), where plus(y) adds y to what the caller has.
/// Division and square root would take three quarters of an optimizer's time, so with AVX-512 both
/// start from a 14-bit estimate: one Newton step takes the root to float precision, and the
/// quotient is added in two parts, the estimate and what it lacks.
template <class Plus>
KERN_INLINE reg plus_over_root(reg x, reg v, reg correction, reg epsilon, Plus plus) {
#if defined(__AVX512F__)
  const reg one = set1(1.0f);
  const reg r = _mm512_rsqrt14_ps(_mm512_max_ps(v, set1(1.17549435e-38f)));
  const reg root = v * r, lacks = fma(-root, r, one);
  const reg d = fma(root, fma(lacks, set1(0.5f) * correction, correction), epsilon);
  const reg q = _mm512_rcp14_ps(d), estimate = x * q;
  return fma(estimate, fma(-d, q, one), plus(estimate));
#else
  return plus(x / fma(square_root(v), correction, epsilon));
#endif
}

/// The share `rest` of the way from `mean` to x. Without a fused multiply-add a last small step
/// would be rounded to none, and a mean never reach 0.
KERN_INLINE reg towards(reg mean, reg x, reg rest) {
#if defined(__FMA__)
  return fma(rest, x - mean, mean);
#else
  return (set1(1.0f) - rest) * mean + rest * x;
#endif
}

}  // namespace kern::cpu::KERN_ISA
