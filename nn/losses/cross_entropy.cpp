#include "nn/losses/cross_entropy.h"

namespace nn {
namespace {

template <class T>
class CrossEntropy final : public LossFunction<T> {
 public:
  CrossEntropy(const Fields& fields, std::span<const float> class_weights)
      : smoothing_(real(fields, "label_smoothing")),
        weights_(class_weights.begin(), class_weights.end()) {}

  [[nodiscard]] kern::LossSums run(const LossPass<T>& p) const override {
    return p.kernels.softmax_cross_entropy(
        p.exec, {.rows = p.rows,
                 .classes = p.outputs,
                 .logits = p.out,
                 .labels = p.target.labels,
                 .class_weights = weights_.empty() ? nullptr : weights_.data(),
                 .smoothing = smoothing_,
                 .gradient_scale = p.gradient_scale,
                 .dlogits = p.d_out});
  }

 private:
  double smoothing_;
  std::vector<float> weights_;
};

class CrossEntropyLoss final : public LossOf<CrossEntropy> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "cross_entropy",
                                .doc = "Softmax cross entropy, for classes.",
                                .fields = {class_weights_field(), label_smoothing_field()}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::labels; }
};

}  // namespace

const Loss& cross_entropy_loss() {
  static const CrossEntropyLoss kLoss;
  return kLoss;
}

}  // namespace nn
