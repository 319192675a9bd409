#include "nn/optimizers/adam.h"

#include "nn/optimizers/moments_update.h"

namespace nn {
namespace {

template <class T>
class AdamUpdate final : public MomentsUpdate<T> {
 public:
  explicit AdamUpdate(const Fields& fields)
      : MomentsUpdate<T>(fields, real(fields, "weight_decay"), 0) {}
};

class AdamOptimizer final : public OptimizerOf<AdamUpdate> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "adam",
        .doc = "Adam: adapts the step size of every weight by the moments of its gradient.",
        .fields = {lr_field(1e-3),
                   decay_field("beta1", 0.9, "Decay of the running mean of gradients."),
                   decay_field("beta2", 0.999, "Decay of the running mean of squared gradients."),
                   epsilon_field(), weight_decay_field()}};
    return kInfo;
  }
  [[nodiscard]] int slots(const Fields&) const override { return 2; }
  [[nodiscard]] std::span<const int> slot_powers() const override { return kAdamSlotPowers; }
};

}  // namespace

const Optimizer& adam_optimizer() {
  static const AdamOptimizer kOptimizer;
  return kOptimizer;
}

}  // namespace nn
