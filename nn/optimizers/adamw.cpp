#include "nn/optimizers/adamw.h"

#include "nn/optimizers/moments_update.h"

namespace nn {
namespace {

template <class T>
class AdamWUpdate final : public MomentsUpdate<T> {
 public:
  explicit AdamWUpdate(const Fields& fields)
      : MomentsUpdate<T>(fields, 0, real(fields, "weight_decay")) {}
};

class AdamWOptimizer final : public OptimizerOf<AdamWUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "adamw",
        .doc =
            "Adam with decoupled weight decay: it shrinks the weights themselves instead of adding "
            "to their gradients.",
        .fields = {lr_field(1e-3),
                   decay_field("beta1", 0.9, "Decay of the running mean of gradients."),
                   decay_field("beta2", 0.999, "Decay of the running mean of squared gradients."),
                   epsilon_field(), decoupled_decay_field(1e-2)}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields&) const override { return 2; }
  [[nodiscard]] std::span<const int> slot_powers() const override { return kAdamSlotPowers; }
};

}  // namespace

const Optimizer& adamw_optimizer() {
  static const AdamWOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
