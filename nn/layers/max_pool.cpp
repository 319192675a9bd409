#include "nn/layers/max_pool.h"

namespace nn {
namespace {

template <class T>
class MaxPoolOp final : public LayerOp<T> {
 public:
  explicit MaxPoolOp(const LayerPlan<T>& plan)
      : window_(max_pool_window(plan.spec.fields, plan.in.shape)),
        saved_bytes_(static_cast<std::size_t>(plan.max_rows) *
                     static_cast<std::size_t>(plan.out.shape.elements())) {}

  [[nodiscard]] LayerNeeds needs() const override { return {.saved_bytes = saved_bytes_}; }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.maxpool_forward(p.exec, window(p.rows), p.x, p.y,
                              reinterpret_cast<std::uint8_t*>(p.saved));
  }

  void backward(const LayerPass<T>& p) const override {
    if (p.dx == nullptr) return;
    p.kernels.maxpool_backward(p.exec, window(p.rows), p.dy,
                               reinterpret_cast<const std::uint8_t*>(p.saved), p.dx);
  }

 private:
  [[nodiscard]] kern::Window window(int rows) const {
    kern::Window w = window_;
    w.batch = rows;
    return w;
  }

  kern::Window window_;
  std::size_t saved_bytes_;
};

class MaxPoolLayer final : public LayerOf<MaxPoolOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "max_pool",
        .doc = "Largest value in each window of each channel.",
        .fields = {{.name = "kernel",
                    .type = FieldType::integer,
                    .min = 1,
                    .max = 15,
                    .value = std::int64_t{2},
                    .doc = "Height and width of the window."},
                   {.name = "stride",
                    .type = FieldType::integer_or_word,
                    .min = 1,
                    .max = 255,
                    .choices = {"kernel"},
                    .value = "kernel",
                    .doc = "Step between two windows; kernel: they touch without overlap."}}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec& spec, const Flow& in) const override {
    if (!in.shape.is_image()) {
      throw SpecError(-1, "", "max_pool needs an image, not " + in.shape.text() + " features");
    }
    const kern::Window w = max_pool_window(spec.fields, in.shape);
    return {Shape::image(w.out_h, w.out_w, w.out_c), in.units};
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    const auto n = [](std::int64_t value) { return FieldValue(value); };
    return {{Shape::image(4, 6, 2), {}},
            {Shape::image(5, 5, 3), {{"kernel", n(3)}, {"stride", n(1)}}},
            {Shape::image(5, 4, 1), {{"kernel", n(2)}, {"stride", n(3)}}}};
  }
};

}  // namespace

kern::Window max_pool_window(const Fields& fields, const Shape& image) {
  const int kernel = static_cast<int>(integer(fields, "kernel"));
  const auto* step = std::get_if<std::int64_t>(&fields.at("stride"));
  const int stride = step != nullptr ? static_cast<int>(*step) : kernel;
  if (kernel > image.height() || kernel > image.width()) {
    throw SpecError(
        -1, "kernel",
        "a window of " + std::to_string(kernel) + " does not fit an image of " + image.text());
  }
  return {.in_h = image.height(),
          .in_w = image.width(),
          .in_c = image.channels(),
          .out_h = (image.height() - kernel) / stride + 1,
          .out_w = (image.width() - kernel) / stride + 1,
          .out_c = image.channels(),
          .kernel_h = kernel,
          .kernel_w = kernel,
          .stride_h = stride,
          .stride_w = stride};
}

const Layer& max_pool_layer() {
  static const MaxPoolLayer kLayer;
  return kLayer;
}

}  // namespace nn
