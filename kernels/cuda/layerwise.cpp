// Optimizers whose step has the length of the layer that it changes. The norms stay on the device,
// so that the host need not wait for them and a step can be recorded.

#include <cmath>

#include "kernels/cuda/functions.h"
#include "kernels/cuda/steps.h"
#include "kernels/cuda/sums.h"

namespace kern::KERN_ON {
namespace {

/// Squares of weights and of what their norm is compared with; sums of them.
struct Squares {
  double weights, with;

  KERN_DEVICE Squares& operator+=(const Squares& other) {
    weights += other.weights;
    with += other.with;
    return *this;
  }
};

KERN_DEVICE inline Squares squares(float weight, float with) {
  return {static_cast<double>(weight) * static_cast<double>(weight),
          static_cast<double>(with) * static_cast<double>(with)};
}

/// The quotient of two norms, or 1 where it says nothing.
KERN_DEVICE inline double quotient(double norm, double by) {
  return norm > 0 && by > 0 ? norm / by : 1;
}

constexpr std::size_t kSquaresPart = 16 * kSumThreads;
std::size_t squares_parts(std::size_t count) { return (count + kSquaresPart - 1) / kSquaresPart; }

/// sums[part] = sum of of(i) over the elements of the part, squares_parts(count) of them.
template <class Of>
void sum_parts(std::size_t count, Squares* sums, Of of) {
  over_blocks<kSumThreads, SumTerms<Squares>>(
      squares_parts(count),
      [=] KERN_DEVICE(const Block<kSumThreads>& block, SumTerms<Squares>& shared) {
        const std::size_t begin = block.index * kSquaresPart;
        const std::size_t end = begin + kSquaresPart < count ? begin + kSquaresPart : count;
        block.each([&](int t) {
          Squares sum{};
          for (std::size_t i = begin + static_cast<std::size_t>(t); i < end; i += kSumThreads)
            sum += of(i);
          shared.terms[t] = sum;
        });
        add_up<kSumThreads>(block, shared.terms);
        block.each([&](int t) {
          if (t == 0) sums[block.index] = shared.terms[0];
        });
      });
}

/// LAMB on one run of a layer.
struct LambNumbers {
  float* weights;
  const float* gradient;
  float *m, *v;
  float keep_m, add_m, keep_v, add_v, epsilon, decay;
  UpdateNumbers of_step;
  const float *unbiases, *corrections;
  int cols;

  LambNumbers(const Exec& exec, Temporary& temporary, const LambArgs<float>& a,
              const LambRun<float>& run)
      : weights(a.weights + run.offset),
        gradient(a.gradient + run.offset),
        m(a.m + run.offset),
        v(a.v + run.offset),
        keep_m(static_cast<float>(a.beta1)),
        add_m(static_cast<float>(1 - a.beta1)),
        keep_v(static_cast<float>(a.beta2)),
        add_v(static_cast<float>(1 - a.beta2)),
        epsilon(static_cast<float>(a.epsilon)),
        decay(static_cast<float>(a.weight_decay)),
        of_step(
            exec,
            {.rate = static_cast<float>(a.lr), .correction = run.correction, .unbias = run.unbias}),
        unbiases(temporary.copy(run.unbiases, run.cols)),
        corrections(temporary.copy(run.corrections, run.cols)),
        cols(static_cast<int>(run.cols)) {}

  /// LAMB's u.
  KERN_DEVICE float step(std::size_t i) const {
    const StepNumbers n = of_step.get();
    const int col = unbiases != nullptr ? place(i, cols).col : 0;
    const float unbias = unbiases != nullptr ? unbiases[col] : n.unbias;
    const float correction = unbiases != nullptr ? corrections[col] : n.correction;
    return unbias * m[i] / (sqrtf(v[i]) * correction + epsilon) + decay * weights[i];
  }
  KERN_DEVICE Squares move_moments(std::size_t i) const {
    if (of_step.halted()) return {0, 0};
    const float g = gradient[i];
    m[i] = keep_m * m[i] + add_m * g;
    v[i] = keep_v * v[i] + add_v * g * g;
    return squares(weights[i], step(i));
  }
  KERN_DEVICE void move_weight(std::size_t i, const Squares& total) const {
    if (of_step.halted()) return;
    const double ratio = quotient(sqrt(total.weights), sqrt(total.with));
    const double lr = static_cast<double>(of_step.get().rate);
    weights[i] -= static_cast<float>(lr * ratio) * step(i);
  }
};

}  // namespace

void lars(Exec& exec, const LarsArgs<float>& a) {
  float* weights = a.weights;
  const float* gradient = a.gradient;
  float* velocity = a.velocity;
  const UpdateNumbers numbers(exec, {.rate = static_cast<float>(a.lr)});
  const auto momentum = static_cast<float>(a.momentum), decay = static_cast<float>(a.weight_decay);
  const double trust = a.trust, decay_of_norm = a.weight_decay;
  Temporary temporary;
  const std::size_t parts = squares_parts(a.count);
  auto* sums = temporary.take<Squares>(parts);
  auto* total = temporary.take<Squares>(1);
  sum_parts(a.count, sums,
            [=] KERN_DEVICE(std::size_t i) { return squares(weights[i], gradient[i]); });
  sum_in_one_block(parts, sums, [=] KERN_DEVICE(const Squares& sum) { *total = sum; });
  over(a.count, [=] KERN_DEVICE(std::size_t i) {
    if (numbers.halted()) return;
    const double norm = sqrt(total->weights);
    const double ratio = quotient(norm, sqrt(total->with) + decay_of_norm * norm);
    const double lr = static_cast<double>(numbers.get().rate);
    float step = static_cast<float>(lr * trust * ratio) * (gradient[i] + decay * weights[i]);
    if (velocity != nullptr) step = velocity[i] = momentum * velocity[i] + step;
    weights[i] -= step;
  });
}

void lamb(Exec& exec, const LambArgs<float>& a) {
  Temporary temporary;
  std::size_t parts = 0;
  for (std::size_t r = 0; r < a.run_count; ++r)
    parts += squares_parts(a.runs[r].rows * a.runs[r].cols);
  auto* sums = temporary.take<Squares>(parts);
  auto* total = temporary.take<Squares>(1);
  Squares* at = sums;
  for (std::size_t r = 0; r < a.run_count; ++r) {
    const std::size_t count = a.runs[r].rows * a.runs[r].cols;
    const LambNumbers numbers(exec, temporary, a, a.runs[r]);
    sum_parts(count, at, [=] KERN_DEVICE(std::size_t i) { return numbers.move_moments(i); });
    at += squares_parts(count);
  }
  sum_in_one_block(parts, sums, [=] KERN_DEVICE(const Squares& sum) { *total = sum; });
  for (std::size_t r = 0; r < a.run_count; ++r) {
    const LambNumbers numbers(exec, temporary, a, a.runs[r]);
    over(a.runs[r].rows * a.runs[r].cols,
         [=] KERN_DEVICE(std::size_t i) { numbers.move_weight(i, *total); });
  }
}

}  // namespace kern::KERN_ON
