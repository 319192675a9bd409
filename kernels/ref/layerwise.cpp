// Optimizers whose step has the length of the layer that it changes.

#include <cmath>

#include "kernels/ref/ref.h"

namespace kern::ref {
namespace {

/// The quotient of two norms, or 1 where it says nothing.
double quotient(double norm, double by) { return norm > 0 && by > 0 ? norm / by : 1; }

template <class T>
double square(T x) {
  return static_cast<double>(x) * static_cast<double>(x);
}

/// Calls f(element, unbias, correction) for all weights of a layer.
template <class T, class F>
void over_runs(const LambArgs<T>& a, F f) {
  for (std::size_t r = 0; r < a.run_count; ++r) {
    const LambRun<T>& run = a.runs[r];
    for (std::size_t i = 0; i < run.rows * run.cols; ++i) {
      const bool listed = run.unbiases != nullptr;
      f(run.offset + i, listed ? run.unbiases[i % run.cols] : run.unbias,
        listed ? run.corrections[i % run.cols] : run.correction);
    }
  }
}

}  // namespace

template <class T>
void lars(Exec&, const LarsArgs<T>& a) {
  double weights = 0, gradient = 0;
  for (std::size_t i = 0; i < a.count; ++i) {
    weights += square(a.weights[i]);
    gradient += square(a.gradient[i]);
  }
  const double norm = std::sqrt(weights);
  const T rate = T(a.lr * a.trust * quotient(norm, std::sqrt(gradient) + a.weight_decay * norm));
  for (std::size_t i = 0; i < a.count; ++i) {
    T step = rate * (a.gradient[i] + T(a.weight_decay) * a.weights[i]);
    if (a.velocity) step = a.velocity[i] = T(a.momentum) * a.velocity[i] + step;
    a.weights[i] -= step;
  }
}

template <class T>
void lamb(Exec&, const LambArgs<T>& a) {
  double weights = 0, steps = 0;
  const auto step = [&](std::size_t i, T unbias, T correction) {
    return unbias * a.m[i] / (std::sqrt(a.v[i]) * correction + T(a.epsilon)) +
           T(a.weight_decay) * a.weights[i];
  };
  over_runs(a, [&](std::size_t i, T unbias, T correction) {
    const T g = a.gradient[i];
    a.m[i] = T(a.beta1) * a.m[i] + T(1 - a.beta1) * g;
    a.v[i] = T(a.beta2) * a.v[i] + T(1 - a.beta2) * g * g;
    weights += square(a.weights[i]);
    steps += square(step(i, unbias, correction));
  });
  const T rate = T(a.lr * quotient(std::sqrt(weights), std::sqrt(steps)));
  over_runs(a, [&](std::size_t i, T unbias, T correction) {
    a.weights[i] -= rate * step(i, unbias, correction);
  });
}

template void lars(Exec&, const LarsArgs<float>&);
template void lars(Exec&, const LarsArgs<double>&);
template void lamb(Exec&, const LambArgs<float>&);
template void lamb(Exec&, const LambArgs<double>&);

}  // namespace kern::ref
