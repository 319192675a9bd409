#include "nn/losses/cross_entropy.h"

namespace nn {
namespace {

class CrossEntropy final : public LossOf<CrossEntropy> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "cross_entropy", .doc = "Softmax cross entropy, for classes.", .fields = {}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::labels; }

  template <class T>
  static kern::LossSums sums(const LossPass<T>& p) {
    return p.kernels.softmax_cross_entropy(p.exec, p.rows, p.outputs, p.out, p.target.labels,
                                           p.gradient_scale, p.d_out);
  }
};

}  // namespace

const Loss& cross_entropy_loss() {
  static const CrossEntropy kLoss;
  return kLoss;
}

}  // namespace nn
