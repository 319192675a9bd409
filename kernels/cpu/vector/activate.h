#pragma once
// The activation functions on one vector, and the choice among them outside a loop.

#include "kernels/cpu/vector/math.h"
#include "kernels/kernels.h"

namespace kern::cpu::KERN_ISA {

/// backward: the gradient before the function, from its value y (of gelu: its argument) and the
/// gradient behind it.
struct None {
  static reg forward(reg x) { return x; }
  static reg backward(reg, reg dy) { return dy; }
};
struct Relu {
  static reg forward(reg x) { return at_least(x, set1(0)); }
  static reg backward(reg y, reg dy) { return y > set1(0) ? dy : set1(0); }
};
struct Tanh {
  static reg forward(reg x) { return tanh(x); }
  static reg backward(reg y, reg dy) { return dy * fma(-y, y, set1(1)); }
};

struct Sigmoid {
  static reg forward(reg x) { return sigmoid(x); }
  static reg backward(reg y, reg dy) { return dy * (y * (set1(1) - y)); }
};
struct Gelu {
  static reg forward(reg x) { return x * normal_parts(x).below; }
  static reg backward(reg x, reg dy) {
    const NormalParts n = normal_parts(x);
    return dy * fma(x, n.density, n.below);
  }
};

/// body(None{}), body(Relu{}), ...
template <class Body>
KERN_INLINE void with_activation(Activation act, Body body) {
  switch (act) {
    case Activation::none:
      return body(None{});
    case Activation::relu:
      return body(Relu{});
    case Activation::tanh:
      return body(Tanh{});
    case Activation::sigmoid:
      return body(Sigmoid{});
    case Activation::gelu:
      return body(Gelu{});
  }
}

}  // namespace kern::cpu::KERN_ISA
