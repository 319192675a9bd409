#include "nn/layers/global_pool.h"

namespace nn {
namespace {

/// One window as large as the image.
template <class T>
class GlobalPoolOp final : public LayerOp<T> {
 public:
  explicit GlobalPoolOp(const LayerPlan<T>& plan)
      : window_{.in_h = plan.in.shape.height(),
                .in_w = plan.in.shape.width(),
                .in_c = plan.in.shape.channels(),
                .out_h = 1,
                .out_w = 1,
                .out_c = plan.in.shape.channels(),
                .kernel_h = plan.in.shape.height(),
                .kernel_w = plan.in.shape.width()} {}

  [[nodiscard]] LayerNeeds needs() const override { return {}; }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.avgpool_forward(p.exec, window(p.rows), p.x, p.y);
  }

  void backward(const LayerPass<T>& p) const override {
    if (p.dx != nullptr) p.kernels.avgpool_backward(p.exec, window(p.rows), p.dy, p.dx);
  }

 private:
  [[nodiscard]] kern::Window window(int rows) const {
    kern::Window w = window_;
    w.batch = rows;
    return w;
  }

  kern::Window window_;
};

class GlobalPoolLayer final : public LayerOf<GlobalPoolOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "global_pool",
        .doc = "Mean of each channel over the whole image, which becomes features.",
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
