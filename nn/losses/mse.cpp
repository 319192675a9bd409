#include "nn/losses/mse.h"

namespace nn {
namespace {

class MeanSquaredError final : public Loss {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "mse", .doc = "Mean squared error, for numbers.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::numbers; }

  kern::LossSums run(const kern::Kernels<float>& kernels, kern::Exec& exec, int rows, int outputs,
                     const float* out, const Target& target, float gradient_scale,
                     float* d_out) const override {
    return kernels.mean_squared_error(exec, rows, outputs, out, target.numbers, gradient_scale,
                                      d_out);
  }
  kern::LossSums run(const kern::Kernels<double>& kernels, kern::Exec& exec, int rows, int outputs,
                     const double* out, const Target& target, double gradient_scale,
                     double* d_out) const override {
    return kernels.mean_squared_error(exec, rows, outputs, out, target.numbers, gradient_scale,
                                      d_out);
  }
};

}  // namespace

const Loss& mse_loss() {
  static const MeanSquaredError kLoss;
  return kLoss;
}

}  // namespace nn
