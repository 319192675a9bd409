#include "nn/optimizers/rmsprop.h"

#include <array>

namespace nn {
namespace {

template <class T>
class RmspropUpdate final : public Update<T> {
 public:
  explicit RmspropUpdate(const Fields& fields)
      : alpha_(real(fields, "alpha")),
        epsilon_(real(fields, "epsilon")),
        momentum_(real(fields, "momentum")),
        weight_decay_(real(fields, "weight_decay")) {}

  void run(const kern::Kernels<T>& kernels, kern::Exec& exec, std::size_t count, std::size_t stride,
           T* weights, const T* gradient, T* slots, std::int64_t /*step*/,
           double lr) const override {
    kernels.rmsprop(exec, {.count = count,
                           .weights = weights,
                           .gradient = gradient,
                           .v = slots,
                           .velocity = momentum_ != 0 ? slots + stride : nullptr,
                           .lr = lr,
                           .alpha = alpha_,
                           .epsilon = epsilon_,
                           .momentum = momentum_,
                           .weight_decay = weight_decay_});
  }

 private:
  double alpha_, epsilon_, momentum_, weight_decay_;
};

class RmspropOptimizer final : public OptimizerOf<RmspropUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "rmsprop",
        .doc = "RMSProp: divides gradients by the root of their running mean square.",
        .fields = {lr_field(1e-3),
                   decay_field("alpha", 0.99, "Decay of the running mean of squared gradients."),
                   epsilon_field(), momentum_field(), weight_decay_field()}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields& fields) const override {
    return real(fields, "momentum") != 0 ? 2 : 1;
  }
  [[nodiscard]] std::span<const int> slot_powers() const override {
    static constexpr std::array<int, 2> kPowers{2, 0};
    return kPowers;
  }
};

}  // namespace

const Optimizer& rmsprop_optimizer() {
  static const RmspropOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
