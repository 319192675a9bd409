#include "nn/layers/flatten.h"

namespace nn {
namespace {

template <class T>
class FlattenOp final : public LayerOp<T> {
 public:
  explicit FlattenOp(const LayerPlan<T>&) {}
  [[nodiscard]] LayerNeeds needs() const override { return {.in_place = true}; }
  void forward(const LayerPass<T>&) const override {}
  void backward(const LayerPass<T>&) const override {}
};

class FlattenLayer final : public LayerOf<FlattenOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "flatten", .doc = "Turns an image into features for a dense layer.", .fields = {}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec&, const Flow& in) const override {
    AxisRole units = in.units;
    if (in.shape.is_image()) units.repeat = in.shape.height() * in.shape.width();
    return {Shape::features(in.shape.elements()), units};
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    return {{Shape::image(3, 2, 2), {}}, {Shape::features(4), {}}};
  }
};

}  // namespace

const Layer& flatten_layer() {
  static const FlattenLayer kLayer;
  return kLayer;
}

}  // namespace nn
