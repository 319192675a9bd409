#include "nn/layers/max_pool.h"

#include "nn/layers/pool.h"

namespace nn {
namespace {

template <class T>
class MaxPoolOp final : public LayerOp<T> {
 public:
  explicit MaxPoolOp(const LayerPlan<T>& plan)
      : window_(pool_window(plan.spec.fields, plan.in.shape)),
        saved_bytes_(static_cast<std::size_t>(plan.max_rows) *
                     static_cast<std::size_t>(plan.out.shape.elements())) {}

  [[nodiscard]] LayerNeeds needs() const override { return {.saved_bytes = saved_bytes_}; }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.maxpool_forward(p.exec, of_rows(window_, p.rows), p.x, p.y,
                              reinterpret_cast<std::uint8_t*>(p.saved));
  }

  void backward(const LayerPass<T>& p) const override {
    if (p.dx == nullptr) return;
    p.kernels.maxpool_backward(p.exec, of_rows(window_, p.rows), p.dy,
                               reinterpret_cast<const std::uint8_t*>(p.saved), p.dx);
  }

 private:
  kern::Window window_;
  std::size_t saved_bytes_;
};

class MaxPoolLayer final : public LayerOf<MaxPoolOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{.kind = "max_pool",
                                .doc = "Largest value in each window of each channel.",
                                .fields = pool_fields(15)};
    return kInfo;
  }
  [[nodiscard]] Flow flow(const LayerSpec& spec, const Flow& in) const override {
    return pool_flow("max_pool", spec.fields, in);
  }
  [[nodiscard]] std::vector<LayerExample> examples() const override { return pool_examples(); }
};

}  // namespace

const Layer& max_pool_layer() {
  static const MaxPoolLayer kLayer;
  return kLayer;
}

}  // namespace nn
