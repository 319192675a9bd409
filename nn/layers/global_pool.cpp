#include "nn/layers/global_pool.h"

#include "nn/layers/pool.h"

namespace nn {
namespace {

kern::Window whole_image(const Shape& image) {
  return {.in_h = image.height(),
          .in_w = image.width(),
          .in_c = image.channels(),
          .out_h = 1,
          .out_w = 1,
          .out_c = image.channels(),
          .kernel_h = image.height(),
          .kernel_w = image.width()};
}

template <class T>
class GlobalPoolOp final : public MeanPoolOp<T> {
 public:
  explicit GlobalPoolOp(const LayerPlan<T>& plan) : MeanPoolOp<T>(whole_image(plan.in.shape)) {}
};

class GlobalPoolLayer final : public LayerOf<GlobalPoolOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "global_pool",
        .doc = "Mean of each channel over the whole image. The means become features.",
        .fields = {}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override {
    if (!in.shape.is_image()) {
      throw SpecError(-1, "", "global_pool needs an image, not " + in.shape.text() + " features");
    }
    return {Shape::features(in.shape.channels()), in.units};
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    return {{Shape::image(3, 4, 3), {}}, {Shape::image(1, 1, 5), {}}};
  }
};

}  // namespace

const Layer& global_pool_layer() {
  static const GlobalPoolLayer kLayer;
  return kLayer;
}

}  // namespace nn
