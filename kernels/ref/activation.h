#pragma once
// The activation functions of the reference kernels, shared by dense and convolution layers.

#include <cmath>
#include <numbers>

#include "kernels/kernels.h"

namespace kern::ref {

/// The share of the standard normal distribution below x.
template <class T>
T normal_distribution(T x) {
  return std::erfc(-x / std::sqrt(T(2))) / T(2);
}

/// act(x); a NaN stays a NaN.
template <class T>
T activate(Activation a, T x) {
  switch (a) {
    case Activation::relu:
      return x < T(0) ? T(0) : x;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::sigmoid:
      return T(1) / (T(1) + std::exp(-x));
    case Activation::gelu:
      return x * normal_distribution(x);
    case Activation::none:
      break;
  }
  return x;
}

/// act'(x) expressed through y = act(x); of gelu through y = x.
template <class T>
T activation_slope(Activation a, T y) {
  switch (a) {
    case Activation::relu:
      return y > T(0) ? T(1) : T(0);
    case Activation::tanh:
      return T(1) - y * y;
    case Activation::sigmoid:
      return y * (T(1) - y);
    case Activation::gelu:
      return normal_distribution(y) +
             y * std::exp(-y * y / T(2)) / std::sqrt(T(2) * std::numbers::pi_v<T>);
    case Activation::none:
      break;
  }
  return T(1);
}

}  // namespace kern::ref
