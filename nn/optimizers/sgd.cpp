#include "nn/optimizers/sgd.h"

namespace nn {
namespace {

template <class T>
class SgdUpdate final : public Update<T> {
 public:
  explicit SgdUpdate(const Fields& fields)
      : momentum_(real(fields, "momentum")),
        nesterov_(boolean(fields, "nesterov") && momentum_ != 0),
        weight_decay_(real(fields, "weight_decay")) {}

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count,
           std::size_t /*stride*/, T* weights, const T* gradient, T* slots, std::int64_t /*step*/,
           double lr) const override {
    kernels.sgd(exec, {.count = count,
                       .weights = weights,
                       .gradient = gradient,
                       .velocity = momentum_ != 0 ? slots : nullptr,
                       .lr = lr,
                       .momentum = momentum_,
                       .weight_decay = weight_decay_,
                       .nesterov = nesterov_});
  }

 private:
  double momentum_;
  bool nesterov_;
  double weight_decay_;
};

class SgdOptimizer final : public OptimizerOf<SgdUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "sgd",
        .doc = "Stochastic gradient descent, with or without momentum.",
        .fields = {lr_field(1e-2),
                   momentum_field(),
                   {.name = "nesterov",
                    .type = FieldType::boolean,
                    .value = false,
                    .doc = "Nesterov momentum: the step looks ahead along the momentum. No effect "
                           "without `momentum`."},
                   weight_decay_field()}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields& fields) const override { return velocity_slots(fields); }
  [[nodiscard]] std::span<const int> slot_powers() const override { return kVelocitySlotPowers; }
};

}  // namespace

const Optimizer& sgd_optimizer() {
  static const SgdOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
