#include <cmath>

#include "kernels/cuda/functions.h"
#include "kernels/cuda/steps.h"

namespace kern::KERN_ON {
namespace {

/// What Adam multiplies by, read out of its arguments in the precision that it computes in.
struct AdamNumbers {
  float* weights;
  const float* gradient;
  float *m, *v;
  float keep_m, add_m, keep_v, add_v, epsilon, decay;

  template <class A>
  explicit AdamNumbers(const A& a)
      : weights(a.weights),
        gradient(a.gradient),
        m(a.m),
        v(a.v),
        keep_m(static_cast<float>(a.beta1)),
        add_m(static_cast<float>(1 - a.beta1)),
        keep_v(static_cast<float>(a.beta2)),
        add_v(static_cast<float>(1 - a.beta2)),
        epsilon(static_cast<float>(a.epsilon)),
        decay(static_cast<float>(a.weight_decay)) {}

  KERN_DEVICE void step(std::size_t i, float step_size, float correction, float keep) const {
    const float g = gradient[i] + decay * weights[i];
    m[i] = keep_m * m[i] + add_m * g;
    v[i] = keep_v * v[i] + add_v * g * g;
    weights[i] = keep * weights[i] - step_size * m[i] / (sqrtf(v[i]) * correction + epsilon);
  }
};

}  // namespace

void sgd(Exec& exec, const SgdArgs<float>& a) {
  float* weights = a.weights;
  const float* gradient = a.gradient;
  float* velocity = a.velocity;
  const UpdateNumbers numbers(exec, {.rate = static_cast<float>(a.lr)});
  const auto momentum = static_cast<float>(a.momentum), decay = static_cast<float>(a.weight_decay);
  const bool nesterov = a.nesterov;
  over(a.count, [=] KERN_DEVICE(std::size_t i) {
    if (numbers.halted()) return;
    const float lr = numbers.get().rate;
    float g = gradient[i] + decay * weights[i];
    if (velocity != nullptr) {
      velocity[i] = momentum * velocity[i] + g;
      g = nesterov ? g + momentum * velocity[i] : velocity[i];
    }
    weights[i] -= lr * g;
  });
}

void adam(Exec& exec, const AdamArgs<float>& a) {
  const auto t = static_cast<double>(a.step);
  const UpdateNumbers of_step(
      exec, {.rate = static_cast<float>(a.lr / (1 - std::pow(a.beta1, t))),
             .correction = static_cast<float>(1 / std::sqrt(1 - std::pow(a.beta2, t))),
             .keep = static_cast<float>(a.keep)});
  const AdamNumbers numbers(a);
  over(a.count, [=] KERN_DEVICE(std::size_t i) {
    if (of_step.halted()) return;
    const StepNumbers n = of_step.get();
    numbers.step(i, n.rate, n.correction, n.keep);
  });
}

void adam_columns(Exec&, const AdamColumnsArgs<float>& a) {
  Temporary temporary;
  const float* step_size = temporary.copy(a.step_size, a.cols);
  const float* correction = temporary.copy(a.correction, a.cols);
  const AdamNumbers numbers(a);
  const auto keep = static_cast<float>(a.keep);
  const int cols = static_cast<int>(a.cols);
  over(a.rows * a.cols, [=] KERN_DEVICE(std::size_t i) {
    const int col = place(i, cols).col;
    numbers.step(i, step_size[col], correction[col], keep);
  });
}

void rmsprop(Exec& exec, const RmspropArgs<float>& a) {
  float* weights = a.weights;
  const float* gradient = a.gradient;
  float *v = a.v, *velocity = a.velocity;
  const UpdateNumbers numbers(exec, {.rate = static_cast<float>(a.lr)});
  const auto keep = static_cast<float>(a.alpha), add = static_cast<float>(1 - a.alpha),
             epsilon = static_cast<float>(a.epsilon), momentum = static_cast<float>(a.momentum),
             decay = static_cast<float>(a.weight_decay);
  over(a.count, [=] KERN_DEVICE(std::size_t i) {
    if (numbers.halted()) return;
    const float lr = numbers.get().rate;
    const float g = gradient[i] + decay * weights[i];
    v[i] = keep * v[i] + add * g * g;
    float update = g / (sqrtf(v[i]) + epsilon);
    if (velocity != nullptr) update = velocity[i] = momentum * velocity[i] + update;
    weights[i] -= lr * update;
  });
}

}  // namespace kern::KERN_ON
