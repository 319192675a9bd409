#pragma once
// The step that Adam and AdamW share. Slots: m, v.

#include <algorithm>
#include <array>
#include <cmath>

#include "nn/optimizers/optimizer.h"

namespace nn {

/// The powers of both slots (Optimizer::slot_powers).
inline constexpr std::array<int, 2> kAdamSlotPowers{1, 2};

template <class T>
class MomentsUpdate : public Update<T> {
 public:
  /// `decay` is added to the gradient, in shares of the weight; `decoupled` times the rate is the
  /// share of a weight that a step takes away.
  MomentsUpdate(const Fields& fields, double decay, double decoupled)
      : beta1_(real(fields, "beta1")),
        beta2_(real(fields, "beta2")),
        epsilon_(real(fields, "epsilon")),
        decay_(decay),
        decoupled_(decoupled) {}

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count, std::size_t stride,
           T* weights, const T* gradient, T* slots, std::int64_t step, double lr) const override {
    const Place place{weights, gradient, slots, slots + stride};
    kernels.adam(exec, at_one_step(place, count, step, lr));
  }

  [[nodiscard]] kern::StepNumbers numbers(std::int64_t step, double lr) const override {
    const AgeFactors<T> of_step = factors(static_cast<double>(step), lr);
    return {.rate = static_cast<float>(of_step.first),
            .correction = static_cast<float>(of_step.second),
            .keep = static_cast<float>(keep(lr))};
  }

  void begin_aged(Ages<T>& ages, std::int64_t step, double lr) const override {
    // Late gradients leave a weight without one in its first step: its age is then 0.
    ages.at_step(step, [&](std::int64_t age) {
      return factors(static_cast<double>(std::max<std::int64_t>(age, 1)), lr);
    });
  }

  void run_aged(const kern::Kernels<T>& kernels, kern::Exec& exec, const Ages<T>& ages,
                const SlabPart& some, std::size_t stride, T* weights, const T* gradient, T* slots,
                std::int64_t step, double lr) const override {
    for (const AgeRun& part : ages.runs(some)) {
      const Place place{weights + part.offset, gradient + part.offset, slots + part.offset,
                        slots + stride + part.offset};
      if (part.table < 0) {
        const std::int64_t age = std::max<std::int64_t>(step - part.birth, 1);
        kernels.adam(exec, at_one_step(place, part.rows * part.cols, age, lr));
      } else {
        kernels.adam_columns(exec, {.rows = part.rows,
                                    .cols = part.cols,
                                    .weights = place.weights,
                                    .gradient = place.gradient,
                                    .m = place.m,
                                    .v = place.v,
                                    .step_size = ages.first(part.table),
                                    .correction = ages.second(part.table),
                                    .beta1 = beta1_,
                                    .beta2 = beta2_,
                                    .epsilon = epsilon_,
                                    .weight_decay = decay_,
                                    .keep = keep(lr)});
      }
    }
  }

 private:
  struct Place {
    T* weights;
    const T* gradient;
    T *m, *v;
  };

  [[nodiscard]] kern::AdamArgs<T> at_one_step(const Place& place, std::size_t count,
                                              std::int64_t step, double lr) const {
    return {.count = count,
            .weights = place.weights,
            .gradient = place.gradient,
            .m = place.m,
            .v = place.v,
            .lr = lr,
            .beta1 = beta1_,
            .beta2 = beta2_,
            .epsilon = epsilon_,
            .weight_decay = decay_,
            .keep = keep(lr),
            .step = step};
  }

  [[nodiscard]] double keep(double lr) const { return 1 - lr * decoupled_; }

  [[nodiscard]] AgeFactors<T> factors(double age, double lr) const {
    return {static_cast<T>(lr / (1 - std::pow(beta1_, age))),
            static_cast<T>(1 / std::sqrt(1 - std::pow(beta2_, age)))};
  }

  double beta1_, beta2_, epsilon_, decay_, decoupled_;
};

}  // namespace nn
