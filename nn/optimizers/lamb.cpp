#include "nn/optimizers/lamb.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "nn/optimizers/moments_update.h"

namespace nn {
namespace {

template <class T>
class LambUpdate final : public Update<T> {
 public:
  explicit LambUpdate(const Fields& fields)
      : beta1_(real(fields, "beta1")),
        beta2_(real(fields, "beta2")),
        epsilon_(real(fields, "epsilon")),
        weight_decay_(real(fields, "weight_decay")) {}

  [[nodiscard]] bool by_layer() const override { return true; }

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count, std::size_t stride,
           T* weights, const T* gradient, T* slots, std::int64_t step, double lr) const override {
    const kern::LambRun<T> whole = run_at(0, 1, count, step);
    run_all(kernels, exec, {&whole, 1}, stride, weights, gradient, slots, lr);
  }

  [[nodiscard]] kern::StepNumbers numbers(std::int64_t step, double lr) const override {
    const AgeFactors<T> of_step = factors(step);
    return {.rate = static_cast<float>(lr),
            .correction = static_cast<float>(of_step.second),
            .unbias = static_cast<float>(of_step.first)};
  }

  void begin_aged(Ages<T>& ages, std::int64_t step, double /*lr*/) const override {
    ages.at_step(step, [&](std::int64_t age) { return factors(age); });
  }

  void run_aged(const kern::Kernels<T>& kernels, kern::Exec& exec, const Ages<T>& ages,
                const SlabPart& layer, std::size_t stride, T* weights, const T* gradient, T* slots,
                std::int64_t step, double lr) const override {
    // Layers are updated on several threads, and a step may not allocate.
    static thread_local std::vector<kern::LambRun<T>> runs;
    runs.clear();
    for (const AgeRun& part : ages.runs(layer)) {
      runs.push_back(run_at(part.offset - layer.offset, part.rows, part.cols, step - part.birth));
      if (part.table < 0) continue;
      runs.back().unbiases = ages.first(part.table);
      runs.back().corrections = ages.second(part.table);
    }
    const std::size_t at = layer.offset;
    run_all(kernels, exec, runs, stride, weights + at, gradient + at, slots + at, lr);
  }

 private:
  [[nodiscard]] AgeFactors<T> factors(std::int64_t age) const {
    // Late gradients leave a weight without one in its first step: its age is then 0.
    const auto t = static_cast<double>(std::max<std::int64_t>(age, 1));
    return {static_cast<T>(1 / (1 - std::pow(beta1_, t))),
            static_cast<T>(1 / std::sqrt(1 - std::pow(beta2_, t)))};
  }
  [[nodiscard]] kern::LambRun<T> run_at(std::size_t offset, std::size_t rows, std::size_t cols,
                                        std::int64_t age) const {
    const AgeFactors<T> of_age = factors(age);
    return {.offset = offset,
            .rows = rows,
            .cols = cols,
            .unbias = of_age.first,
            .correction = of_age.second};
  }
  void run_all(const kern::Kernels<T>& kernels, kern::Exec& exec,
               std::span<const kern::LambRun<T>> runs, std::size_t stride, T* weights,
               const T* gradient, T* slots, double lr) const {
    kernels.lamb(exec, {.runs = runs.data(),
                        .run_count = runs.size(),
                        .weights = weights,
                        .gradient = gradient,
                        .m = slots,
                        .v = slots + stride,
                        .lr = lr,
                        .beta1 = beta1_,
                        .beta2 = beta2_,
                        .epsilon = epsilon_,
                        .weight_decay = weight_decay_});
  }

  double beta1_, beta2_, epsilon_, weight_decay_;
};

class LambOptimizer final : public OptimizerOf<LambUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "lamb",
        .doc =
            "LAMB: Adam's direction in steps that are as long, layer by layer, as a share of "
            "the layer's weights. For large batches.",
        .fields = {lr_field(1e-2),
                   decay_field("beta1", 0.9, "Decay of the running mean of gradients."),
                   decay_field("beta2", 0.999, "Decay of the running mean of squared gradients."),
                   epsilon_field(1e-6),
                   {.name = "weight_decay",
                    .type = FieldType::real,
                    .min = 0,
                    .value = 1e-2,
                    .doc = "Weight decay: `weight_decay` times the weight is added to Adam's "
                           "direction before its length is set. Biases and normalization weights "
                           "are included."}}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields&) const override { return 2; }
  [[nodiscard]] std::span<const int> slot_powers() const override { return kAdamSlotPowers; }
};

}  // namespace

const Optimizer& lamb_optimizer() {
  static const LambOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
