#include <cmath>

#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
void sgd(Exec&, const SgdArgs<T>& a) {
  for (std::size_t i = 0; i < a.count; ++i) {
    T g = a.gradient[i] + T(a.weight_decay) * a.weights[i];
    if (a.velocity) {
      a.velocity[i] = T(a.momentum) * a.velocity[i] + g;
      g = a.nesterov ? g + T(a.momentum) * a.velocity[i] : a.velocity[i];
    }
    a.weights[i] -= T(a.lr) * g;
  }
}

namespace {

/// One weight's Adam; A is AdamArgs or AdamColumnsArgs.
template <class T, class A>
void adam_weight(const A& a, std::size_t i, T step_size, T correction) {
  const T g = a.gradient[i] + T(a.weight_decay) * a.weights[i];
  a.m[i] = T(a.beta1) * a.m[i] + T(1 - a.beta1) * g;
  a.v[i] = T(a.beta2) * a.v[i] + T(1 - a.beta2) * g * g;
  a.weights[i] = T(a.keep) * a.weights[i] -
                 step_size * a.m[i] / (std::sqrt(a.v[i]) * correction + T(a.epsilon));
}

}  // namespace

template <class T>
void adam(Exec&, const AdamArgs<T>& a) {
  const double t = static_cast<double>(a.step);
  const T step_size = T(a.lr / (1 - std::pow(a.beta1, t)));
  const T correction = T(1 / std::sqrt(1 - std::pow(a.beta2, t)));
  for (std::size_t i = 0; i < a.count; ++i) adam_weight(a, i, step_size, correction);
}

template <class T>
void adam_columns(Exec&, const AdamColumnsArgs<T>& a) {
  for (std::size_t i = 0; i < a.rows * a.cols; ++i) {
    adam_weight(a, i, a.step_size[i % a.cols], a.correction[i % a.cols]);
  }
}

template <class T>
void rmsprop(Exec&, const RmspropArgs<T>& a) {
  for (std::size_t i = 0; i < a.count; ++i) {
    const T g = a.gradient[i] + T(a.weight_decay) * a.weights[i];
    a.v[i] = T(a.alpha) * a.v[i] + T(1 - a.alpha) * g * g;
    T update = g / (std::sqrt(a.v[i]) + T(a.epsilon));
    if (a.velocity) update = a.velocity[i] = T(a.momentum) * a.velocity[i] + update;
    a.weights[i] -= T(a.lr) * update;
  }
}

template void sgd(Exec&, const SgdArgs<float>&);
template void sgd(Exec&, const SgdArgs<double>&);
template void adam(Exec&, const AdamArgs<float>&);
template void adam(Exec&, const AdamArgs<double>&);
template void adam_columns(Exec&, const AdamColumnsArgs<float>&);
template void adam_columns(Exec&, const AdamColumnsArgs<double>&);
template void rmsprop(Exec&, const RmspropArgs<float>&);
template void rmsprop(Exec&, const RmspropArgs<double>&);

}  // namespace kern::ref
