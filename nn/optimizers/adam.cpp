#include "nn/optimizers/adam.h"

#include <array>
#include <cmath>

namespace nn {
namespace {

template <class T>
class AdamUpdate final : public Update<T> {
 public:
  explicit AdamUpdate(const Fields& fields)
      : beta1_(real(fields, "beta1")),
        beta2_(real(fields, "beta2")),
        epsilon_(real(fields, "epsilon")),
        weight_decay_(real(fields, "weight_decay")) {}

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count, std::size_t stride,
           T* weights, const T* gradient, T* slots, std::int64_t step, double lr) const override {
    kernels.adam(exec, {.count = count,
                        .weights = weights,
                        .gradient = gradient,
                        .m = slots,
                        .v = slots + stride,
                        .lr = lr,
                        .beta1 = beta1_,
                        .beta2 = beta2_,
                        .epsilon = epsilon_,
                        .weight_decay = weight_decay_,
                        .step = step});
  }

  void run_aged(const kern::Kernels<T>& kernels, kern::Exec& exec, Ages<T>& ages,
                std::size_t /*count*/, std::size_t stride, T* weights, const T* gradient, T* slots,
                std::int64_t step, double lr) const override {
    ages.at_step(step, [&](std::int64_t age) { return factors(static_cast<double>(age), lr); });
    for (const AgeRun& part : ages.runs()) {
      T *const w = weights + part.offset, *const m = slots + part.offset, *const v = m + stride;
      const T* g = gradient + part.offset;
      if (part.table < 0) {
        kernels.adam(exec, {.count = part.rows * part.cols,
                            .weights = w,
                            .gradient = g,
                            .m = m,
                            .v = v,
                            .lr = lr,
                            .beta1 = beta1_,
                            .beta2 = beta2_,
                            .epsilon = epsilon_,
                            .weight_decay = weight_decay_,
                            .step = step - part.birth});
      } else {
        kernels.adam_columns(exec, {.rows = part.rows,
                                    .cols = part.cols,
                                    .weights = w,
                                    .gradient = g,
                                    .m = m,
                                    .v = v,
                                    .step_size = ages.first(part.table),
                                    .correction = ages.second(part.table),
                                    .beta1 = beta1_,
                                    .beta2 = beta2_,
                                    .epsilon = epsilon_,
                                    .weight_decay = weight_decay_});
      }
    }
  }

 private:
  [[nodiscard]] AgeFactors<T> factors(double age, double lr) const {
    return {static_cast<T>(lr / (1 - std::pow(beta1_, age))),
            static_cast<T>(1 / std::sqrt(1 - std::pow(beta2_, age)))};
  }

  double beta1_, beta2_, epsilon_, weight_decay_;
};

class AdamOptimizer final : public OptimizerOf<AdamUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "adam",
        .doc = "Adaptive moments: a step size for every weight.",
        .fields = {lr_field(1e-3), decay_field("beta1", 0.9, "Decay of the mean of gradients."),
                   decay_field("beta2", 0.999, "Decay of the mean of squared gradients."),
                   epsilon_field(), weight_decay_field()}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields&) const override { return 2; }
  [[nodiscard]] std::span<const int> slot_powers() const override {
    static constexpr std::array<int, 2> kPowers{1, 2};
    return kPowers;
  }
};

}  // namespace

const Optimizer& adam_optimizer() {
  static const AdamOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
