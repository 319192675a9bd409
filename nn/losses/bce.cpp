#include "nn/losses/bce.h"

#include <string>

#include "nn/error.h"

namespace nn {
namespace {

template <class T>
class BinaryCrossEntropy final : public LossFunction<T> {
 public:
  BinaryCrossEntropy(const Fields& fields, std::span<const float> class_weights)
      : smoothing_(real(fields, "label_smoothing")),
        weights_(class_weights.begin(), class_weights.end()) {}

  [[nodiscard]] kern::LossSums run(const LossPass<T>& p) const override {
    return p.kernels.binary_cross_entropy(
        p.exec, {.rows = p.rows,
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

class BinaryCrossEntropyLoss final : public LossOf<BinaryCrossEntropy> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "bce",
        .doc =
            "Binary cross entropy with one output, for two classes. In ascending order of their "
            "names the first class is 0 and the second is 1.",
        .fields = {class_weights_field(), label_smoothing_field()}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::labels; }
  [[nodiscard]] std::int64_t outputs(std::int64_t of_data) const override {
    if (of_data == 2) return 1;
    throw SpecError(-1, "loss",
                    "loss bce is for two classes, the target has " + std::to_string(of_data) +
                        "; use cross_entropy");
  }
};

}  // namespace

const Loss& bce_loss() {
  static const BinaryCrossEntropyLoss kLoss;
  return kLoss;
}

}  // namespace nn
