#include <cmath>

#include "kernels/cuda/functions.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/temporary.h"

namespace kern::KERN_ON {
namespace {

/// What Adam multiplies by, read out of its arguments in the precision that it computes in.
struct AdamNumbers {
  float* weights;
  const float* gradient;
  float *m, *v;
  float keep_m, add_m, keep_v, add_v, epsilon, decay, keep;

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
        decay(static_cast<float>(a.weight_decay)),
        keep(static_cast<float>(a.keep)) {}

  KERN_DEVICE void step(std::size_t i, float step_size, float correction) const {
    const float g = gradient[i] + decay * weights[i];
    m[i] = keep_m * m[i] + add_m * g;
    v[i] = keep_v * v[i] + add_v * g * g;
    weights[i] = keep * weights[i] - step_size * m[i] / (sqrtf(v[i]) * correction + epsilon);
  }
};

}  // namespace

void sgd(Exec&, const SgdArgs<float>& a) {
  float* weights = a.weights;
  const float* gradient = a.gradient;
  float* velocity = a.velocity;
  const auto lr = static_cast<float>(a.lr), momentum = static_cast<float>(a.momentum),
             decay = static_cast<float>(a.weight_decay);
  const bool nesterov = a.nesterov;
  over(a.count, [=] KERN_DEVICE(std::size_t i) {
    float g = gradient[i] + decay * weights[i];
    if (velocity != nullptr) {
      velocity[i] = momentum * velocity[i] + g;
      g = nesterov ? g + momentum * velocity[i] : velocity[i];
    }
    weights[i] -= lr * g;
  });
}

void adam(Exec&, const AdamArgs<float>& a) {
  const auto t = static_cast<double>(a.step);
  const auto step_size = static_cast<float>(a.lr / (1 - std::pow(a.beta1, t)));
  const auto correction = static_cast<float>(1 / std::sqrt(1 - std::pow(a.beta2, t)));
  const AdamNumbers numbers(a);
  over(a.count, [=] KERN_DEVICE(std::size_t i) { numbers.step(i, step_size, correction); });
}

void adam_columns(Exec&, const AdamColumnsArgs<float>& a) {
  Temporary temporary;
  const float* step_size = temporary.copy(a.step_size, a.cols);
  const float* correction = temporary.copy(a.correction, a.cols);
  const AdamNumbers numbers(a);
  const int cols = static_cast<int>(a.cols);
  over(a.rows * a.cols, [=] KERN_DEVICE(std::size_t i) {
    const int col = place(i, cols).col;
    numbers.step(i, step_size[col], correction[col]);
  });
}

void rmsprop(Exec&, const RmspropArgs<float>& a) {
  float* weights = a.weights;
  const float* gradient = a.gradient;
  float *v = a.v, *velocity = a.velocity;
  const auto lr = static_cast<float>(a.lr), keep = static_cast<float>(a.alpha),
             add = static_cast<float>(1 - a.alpha), epsilon = static_cast<float>(a.epsilon),
             momentum = static_cast<float>(a.momentum), decay = static_cast<float>(a.weight_decay);
  over(a.count, [=] KERN_DEVICE(std::size_t i) {
    const float g = gradient[i] + decay * weights[i];
    v[i] = keep * v[i] + add * g * g;
    float update = g / (sqrtf(v[i]) + epsilon);
    if (velocity != nullptr) update = velocity[i] = momentum * velocity[i] + update;
    weights[i] -= lr * update;
  });
}

}  // namespace kern::KERN_ON
