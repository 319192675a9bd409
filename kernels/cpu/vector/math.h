#pragma once
// Elementary functions on one vector: the same operations in the same order for every lane, so that
// a value does not depend on its place in an array. Polynomials are minimax fits over the reduced
// range; tests/kernels bounds the error.

#include "kernels/cpu/vector/simd.h"

namespace kern::cpu::KERN_ISA {

/// exp(x) = scale * (1 + tail), scale a power of two, |tail| < 0.42. For -87.3 <= x <= 88; a NaN
/// stays in `tail`.
struct ExpParts {
  reg scale, tail;
};

KERN_INLINE ExpParts exp_parts(reg x) {
  // Adding 1.5 * 2^23 rounds to an integer, which then stands in the low bits.
  const reg shift = set1(12582912.0f);
  const reg shifted = fma(x, set1(1.44269504089f), shift);
  const reg n = shifted - shift;
  const reg r = fma(n, set1(-1.42860682031e-6f), fma(n, set1(-0.693145751953125f), x));
  reg q = set1(0.000198910306544f);
  q = fma(q, r, set1(0.00139336858626f));
  q = fma(q, r, set1(0.00833331088958f));
  q = fma(q, r, set1(0.041666464602f));
  q = fma(q, r, set1(0.166666666817f));
  q = fma(q, r, set1(0.5f));
  return {from_bits((bits(shifted) << 23) + (127 << 23)), fma(q * r, r, r)};
}

/// exp(x) for x <= 0, at least 2^-126.
KERN_INLINE reg exp_negative(reg x) {
  const ExpParts e = exp_parts(at_least(x, set1(-87.3365f)));
  return fma(e.scale, e.tail, e.scale);
}

/// ln(x) for finite normal x > 0; a NaN stays.
KERN_INLINE reg log_positive(reg x) {
  // x = 2^n (1 + f) with f in [sqrt(1/2) - 1, sqrt(2) - 1].
  const ireg offset = bits(x) - 0x3f3504f3;
  const reg n = to_float(offset >> 23);
  const reg f = from_bits((offset & 0x007fffff) + 0x3f3504f3) - set1(1.0f);
  reg p = set1(0.0697161147145f);
  p = fma(p, f, set1(-0.114797338466f));
  p = fma(p, f, set1(0.116854199235f));
  p = fma(p, f, set1(-0.124256873315f));
  p = fma(p, f, set1(0.142490576457f));
  p = fma(p, f, set1(-0.166678023195f));
  p = fma(p, f, set1(0.200007157489f));
  p = fma(p, f, set1(-0.24999996958f));
  p = fma(p, f, set1(0.3333333118f));
  const reg f2 = f * f;
  const reg low = fma(p * f, f2, fma(n, set1(1.42860682031e-6f), f2 * set1(-0.5f)));
  const reg result = fma(n, set1(0.693145751953125f), f + low);
  return x == x ? result : x;
}

KERN_INLINE reg magnitude_of(reg x) { return from_bits(bits(x) & 0x7fffffff); }

/// 1 / (1 + exp(-x)), from exp(-|x|), which does not overflow. A NaN stays.
KERN_INLINE reg sigmoid(reg x) {
  const reg e = exp_negative(-magnitude_of(x));
  return (x < set1(0) ? e : set1(1.0f)) / (set1(1.0f) + e);
}

/// The standard normal distribution: its density at x and its share below x, with a relative error
/// below 1e-6 on both sides. A NaN stays.
struct NormalParts {
  reg density, below;
};

KERN_INLINE NormalParts normal_parts(reg x) {
  // The share beyond t = |x| is exp(-t^2 / 2) times a polynomial of 1 / (1 + 0.35 t).
  const reg t = magnitude_of(x), u = set1(1.0f) / fma(t, set1(0.35f), set1(1.0f));
  const reg e = exp_negative(t * t * set1(-0.5f));
  reg p = set1(-0.029679522017f);
  p = fma(p, u, set1(0.146545830354f));
  p = fma(p, u, set1(-0.260961228418f));
  p = fma(p, u, set1(0.165050995990f));
  p = fma(p, u, set1(-0.027046608351f));
  p = fma(p, u, set1(0.107114587628f));
  p = fma(p, u, set1(0.119444916840f));
  p = fma(p, u, set1(0.139912298126f));
  p = fma(p, u, set1(0.139618712561f));
  const reg beyond = p * u * e;
  return {set1(0.398942280401f) * e, x < set1(0) ? beyond : set1(1.0f) - beyond};
}

/// tanh(x) = e / (e + 2) with e = exp(2|x|) - 1, which loses no digits near 0. Within 4 ulp; a NaN
/// stays.
KERN_INLINE reg tanh(reg x) {
  const ireg sign = bits(x) & static_cast<std::int32_t>(0x80000000);
  const reg magnitude = from_bits(bits(x) ^ sign);
  // tanh rounds to 1 from 9.02 on.
  const ExpParts e = exp_parts(at_most(magnitude + magnitude, set1(20.0f)));
  const reg em1 = fma(e.scale, e.tail, e.scale - set1(1.0f));
  return from_bits(bits(em1 / (em1 + set1(2.0f))) | sign);
}

}  // namespace kern::cpu::KERN_ISA
