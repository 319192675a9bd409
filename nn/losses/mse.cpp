#include "nn/losses/mse.h"

namespace nn {
namespace {

template <class T>
class MeanSquaredError final : public LossFunction<T> {
 public:
  MeanSquaredError(const Fields&, std::span<const float>) {}

  [[nodiscard]] kern::LossSums run(const LossPass<T>& p) const override {
    return p.kernels.mean_squared_error(p.exec, {.rows = p.rows,
                                                 .cols = p.outputs,
                                                 .prediction = p.out,
                                                 .target = p.target.numbers,
                                                 .gradient_scale = p.gradient_scale,
                                                 .dprediction = p.d_out});
  }
};

class MeanSquaredErrorLoss final : public LossOf<MeanSquaredError> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "mse", .doc = "Mean squared error, for numbers.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::numbers; }
};

}  // namespace

const Loss& mse_loss() {
  static const MeanSquaredErrorLoss kLoss;
  return kLoss;
}

}  // namespace nn
