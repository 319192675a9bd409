#include "nn/losses/mse.h"

namespace nn {
namespace {

class MeanSquaredError final : public LossOf<MeanSquaredError> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "mse", .doc = "Mean squared error, for numbers.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::numbers; }

  template <class T>
  static kern::LossSums sums(const LossPass<T>& p) {
    return p.kernels.mean_squared_error(p.exec, p.rows, p.outputs, p.out, p.target.numbers,
                                        p.gradient_scale, p.d_out);
  }
};

}  // namespace

const Loss& mse_loss() {
  static const MeanSquaredError kLoss;
  return kLoss;
}

}  // namespace nn
