#include "nn/losses/huber.h"

namespace nn {
namespace {

template <class T>
class Huber final : public LossFunction<T> {
 public:
  Huber(const Fields& fields, std::span<const float>)
      : delta_(static_cast<T>(real(fields, "delta"))) {}

  [[nodiscard]] kern::LossSums run(const LossPass<T>& p) const override {
    return p.kernels.huber(p.exec, {.rows = p.rows,
                                    .cols = p.outputs,
                                    .prediction = p.out,
                                    .target = p.target.numbers,
                                    .delta = delta_,
                                    .gradient_scale = p.gradient_scale,
                                    .dprediction = p.d_out});
  }

 private:
  T delta_;
};

class HuberLoss final : public LossOf<Huber> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "huber",
        .doc = "Huber loss, for numbers with outliers: squared up to `delta`, absolute beyond it.",
        .fields = {{.name = "delta",
                    .min = 0,
                    .value = 1.0,
                    .doc = "Error at which the loss changes from squared to absolute, in standard "
                           "deviations of the target.",
                    .min_excluded = true}}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::numbers; }
};

}  // namespace

const Loss& huber_loss() {
  static const HuberLoss kLoss;
  return kLoss;
}

}  // namespace nn
