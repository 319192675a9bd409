#include "nn/losses/mae.h"

namespace nn {
namespace {

template <class T>
class MeanAbsoluteError final : public LossFunction<T> {
 public:
  MeanAbsoluteError(const Fields&, std::span<const float>) {}

  [[nodiscard]] kern::LossSums run(const LossPass<T>& p) const override {
    return p.kernels.mean_absolute_error(p.exec, {.rows = p.rows,
                                                  .cols = p.outputs,
                                                  .prediction = p.out,
                                                  .target = p.target.numbers,
                                                  .gradient_scale = p.gradient_scale,
                                                  .dprediction = p.d_out});
  }
};

class MeanAbsoluteErrorLoss final : public LossOf<MeanAbsoluteError> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "mae",
        .doc =
            "Mean absolute error, for numbers. Rows with large errors have no more influence than "
            "others.",
        .fields = {}};
    return kInfo;
  }
  [[nodiscard]] TargetKind target() const override { return TargetKind::numbers; }
};

}  // namespace

const Loss& mae_loss() {
  static const MeanAbsoluteErrorLoss kLoss;
  return kLoss;
}

}  // namespace nn
