#pragma once
// Functions of one number, as kernels/ref defines them.

#include <cfloat>
#include <cmath>

#include "kernels/cuda/launch.h"

namespace kern::KERN_ON {

KERN_DEVICE inline bool is_nan(float x) { return x != x; }
/// Neither infinite nor NaN.
KERN_DEVICE inline bool is_finite(float x) { return fabsf(x) <= FLT_MAX; }
KERN_DEVICE inline float not_a_number() { return NAN; }

KERN_DEVICE inline float normal_distribution(float x) {
  constexpr float kInverseRootOf2 = 0.70710678118654752F;
  return erfcf(-x * kInverseRootOf2) * 0.5F;
}

KERN_DEVICE inline float activated(Activation a, float x) {
  switch (a) {
    case Activation::relu:
      return x < 0 ? 0 : x;
    case Activation::tanh:
      return tanhf(x);
    case Activation::sigmoid:
      return 1 / (1 + expf(-x));
    case Activation::gelu:
      return x * normal_distribution(x);
    case Activation::none:
      break;
  }
  return x;
}

/// The slope at the output y; of gelu at the input y.
KERN_DEVICE inline float slope(Activation a, float y) {
  constexpr float kInverseRootOfTwoPi = 0.39894228040143268F;
  switch (a) {
    case Activation::relu:
      return y > 0 ? 1 : 0;
    case Activation::tanh:
      return 1 - y * y;
    case Activation::sigmoid:
      return y * (1 - y);
    case Activation::gelu:
      return normal_distribution(y) + y * expf(-y * y * 0.5F) * kInverseRootOfTwoPi;
    case Activation::none:
      break;
  }
  return 1;
}

}  // namespace kern::KERN_ON
