#pragma once
// The activation functions of the reference kernels, shared by dense and convolution layers.

#include <cmath>

#include "kernels/kernels.h"

namespace kern::ref {

/// act(x); a NaN stays a NaN.
template <class T>
T activate(Activation a, T x) {
  switch (a) {
    case Activation::relu:
      return x < T(0) ? T(0) : x;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::none:
      break;
  }
  return x;
}

/// act'(x) expressed through y = act(x).
template <class T>
T activation_slope(Activation a, T y) {
  switch (a) {
    case Activation::relu:
      return y > T(0) ? T(1) : T(0);
    case Activation::tanh:
      return T(1) - y * y;
    case Activation::none:
      break;
  }
  return T(1);
}

}  // namespace kern::ref
