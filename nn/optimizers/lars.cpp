#include "nn/optimizers/lars.h"

namespace nn {
namespace {

template <class T>
class LarsUpdate final : public Update<T> {
 public:
  explicit LarsUpdate(const Fields& fields)
      : trust_(real(fields, "trust")),
        momentum_(real(fields, "momentum")),
        weight_decay_(real(fields, "weight_decay")) {}

  [[nodiscard]] bool by_layer() const override { return true; }

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count,
           std::size_t /*stride*/, T* weights, const T* gradient, T* slots, std::int64_t /*step*/,
           double lr) const override {
    kernels.lars(exec, {.count = count,
                        .weights = weights,
                        .gradient = gradient,
                        .velocity = momentum_ != 0 ? slots : nullptr,
                        .lr = lr,
                        .momentum = momentum_,
                        .weight_decay = weight_decay_,
                        .trust = trust_});
  }

 private:
  double trust_, momentum_, weight_decay_;
};

class LarsOptimizer final : public OptimizerOf<LarsUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "lars",
        .doc =
            "LARS: momentum whose steps are as long, layer by layer, as a share of the layer's "
            "weights. For large batches, with a warm-up.",
        .fields = {lr_field(10),
                   {.name = "trust",
                    .type = FieldType::real,
                    .min = 0,
                    .value = 1e-3,
                    .doc = "Trust coefficient: `lr` * `trust` is the length of a layer's step, as "
                           "a share of the length of its weights.",
                    .min_excluded = true},
                   momentum_field(0.9),
                   weight_decay_field()}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields& fields) const override { return velocity_slots(fields); }
  [[nodiscard]] std::span<const int> slot_powers() const override { return kVelocitySlotPowers; }
};

}  // namespace

const Optimizer& lars_optimizer() {
  static const LarsOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
