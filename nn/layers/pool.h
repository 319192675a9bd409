#pragma once
// What the kinds of pooling share: square windows that never reach over the edge of an image.

#include <string_view>
#include <vector>

#include "nn/layers/layer.h"

namespace nn {

/// The fields `kernel` (at most `largest`) and `stride`.
[[nodiscard]] std::vector<FieldInfo> pool_fields(int largest);

/// The geometry for an image; batch is 0. Throws SpecError when the window is larger than the
/// image.
[[nodiscard]] kern::Window pool_window(const Fields& fields, const Shape& image);

/// The same geometry for that many rows.
[[nodiscard]] constexpr kern::Window of_rows(kern::Window window, int rows) {
  window.batch = rows;
  return window;
}

/// Means of windows.
template <class T>
class MeanPoolOp : public LayerOp<T> {
 public:
  explicit MeanPoolOp(const kern::Window& window) : window_(window) {}

  [[nodiscard]] LayerNeeds needs() const override { return {}; }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.avgpool_forward(p.exec, of_rows(window_, p.rows), p.x, p.y);
  }

  void backward(const LayerPass<T>& p) const override {
    if (p.dx != nullptr) p.kernels.avgpool_backward(p.exec, of_rows(window_, p.rows), p.dy, p.dx);
  }

 private:
  kern::Window window_;
};

/// What leaves a pooling layer of that kind. Throws SpecError when no image enters.
[[nodiscard]] Flow pool_flow(std::string_view kind, const Fields& fields, const Flow& in);

/// Cases that cover both fields.
[[nodiscard]] std::vector<LayerExample> pool_examples();

}  // namespace nn
