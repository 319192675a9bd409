#include "nn/losses/cross_entropy.h"

namespace nn {
namespace {

class CrossEntropy final : public Loss {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "cross_entropy", .doc = "Softmax cross entropy, for classes.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::labels; }

  kern::LossSums run(const kern::Kernels<float>& kernels, kern::Exec& exec, int rows, int outputs,
                     const float* out, const Target& target, float gradient_scale,
                     float* d_out) const override {
    return kernels.softmax_cross_entropy(exec, rows, outputs, out, target.labels, gradient_scale,
                                         d_out);
  }
  kern::LossSums run(const kern::Kernels<double>& kernels, kern::Exec& exec, int rows, int outputs,
                     const double* out, const Target& target, double gradient_scale,
                     double* d_out) const override {
    return kernels.softmax_cross_entropy(exec, rows, outputs, out, target.labels, gradient_scale,
                                         d_out);
  }
};

}  // namespace

const Loss& cross_entropy_loss() {
  static const CrossEntropy kLoss;
  return kLoss;
}

}  // namespace nn
