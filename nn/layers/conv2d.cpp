#include "nn/layers/conv2d.h"

#include <algorithm>

namespace nn {
namespace {

template <class T>
class Conv2dOp final : public LayerOp<T> {
 public:
  explicit Conv2dOp(const LayerPlan<T>& plan)
      : conv_(Conv2d::from(plan.spec.fields, plan.in.shape)),
        weight_(plan.params[0].offset),
        bias_(plan.params[1].offset) {
    kern::Window full = conv_.window;
    full.batch = plan.max_rows;
    scratch_bytes_ = plan.kernels.conv_scratch(full);
  }

  [[nodiscard]] LayerNeeds needs() const override {
    return {.input_in_backward = true,
            .output_in_backward = conv_.activation != kern::Activation::none,
            .scratch_bytes = scratch_bytes_};
  }

  void forward(const LayerPass<T>& p) const override {
    p.kernels.conv_forward(p.exec, window(p.rows), p.x, p.weights + weight_, p.weights + bias_,
                           conv_.activation, p.y);
  }

  void backward(const LayerPass<T>& p) const override {
    const kern::Window w = window(p.rows);
    p.kernels.activation_backward(p.exec, p.rows * w.out_h * w.out_w, w.out_c, conv_.activation,
                                  p.y, p.dy, p.gradient + bias_);
    p.kernels.conv_backward_weights(p.exec, w, p.x, p.dy, p.gradient + weight_);
    if (p.dx != nullptr) p.kernels.conv_backward_data(p.exec, w, p.dy, p.weights + weight_, p.dx);
  }

 private:
  [[nodiscard]] kern::Window window(int rows) const {
    kern::Window w = conv_.window;
    w.batch = rows;
    return w;
  }

  Conv2d conv_;
  std::size_t weight_, bias_, scratch_bytes_ = 0;
};

class Conv2dLayer final : public LayerOf<Conv2dOp> {
 public:
  [[nodiscard]] const KindInfo& info() const override {
    static const KindInfo kInfo{
        .kind = "conv2d",
        .doc = "Two-dimensional convolution with a square kernel.",
        .fields = {
            {.name = "units",
             .type = FieldType::integer,
             .min = 1,
             .max = 65'536,
             .doc = "Number of output channels."},
            {.name = "kernel",
             .type = FieldType::integer,
             .min = 1,
             .max = 255,
             .value = std::int64_t{3},
             .doc = "Height and width of the kernel."},
            {.name = "stride",
             .type = FieldType::integer,
             .min = 1,
             .max = 255,
             .value = std::int64_t{1},
             .doc = "Step between two positions of the kernel."},
            {.name = "padding",
             .type = FieldType::integer_or_word,
             .min = 0,
             .max = 127,
             .choices = {"valid", "same"},
             .value = "valid",
             .doc =
                 "Zeros around the image: valid none, same as many as keep its size at stride 1, "
                 "or their number on each side."},
            activation_field()}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec& spec, const Flow& in) const override {
    if (!in.shape.is_image()) {
      throw SpecError(-1, "",
                      "conv2d needs an image, not " + in.shape.text() +
                          " features; a dense or flatten layer before it gives up the image");
    }
    const Conv2d conv = Conv2d::from(spec.fields, in.shape);
    return {Shape::image(conv.window.out_h, conv.window.out_w, conv.units),
            {.group = spec.name, .units = conv.units}};
  }

  [[nodiscard]] std::vector<ParamTensor> params(const LayerSpec& spec,
                                                const Flow& in) const override {
    const Conv2d conv = Conv2d::from(spec.fields, in.shape);
    const std::int32_t kernel = conv.window.kernel_h;
    const std::int64_t area = std::int64_t{kernel} * kernel;
    const AxisRole own{.group = spec.name, .units = conv.units};
    const AxisRole place{.units = kernel};
    return {{.name = spec.name + ".weight",
             .role = ParamRole::weight,
             .dims = {conv.units, kernel, kernel, in.shape.channels()},
             .axes = {own, place, place, in.units},
             .out_axis = 0,
             .init = init_for(conv.activation),
             .fan_in = area * in.shape.channels(),
             .fan_out = area * conv.units},
            {.name = spec.name + ".bias",
             .role = ParamRole::bias,
             .dims = {conv.units},
             .axes = {own}}};
  }

  [[nodiscard]] std::uint64_t flops(const LayerSpec& spec, const Flow& in) const override {
    const kern::Window w = Conv2d::from(spec.fields, in.shape).window;
    return 2 * std::uint64_t(w.out_h) * std::uint64_t(w.out_w) * std::uint64_t(w.out_c) *
           std::uint64_t(w.kernel_h) * std::uint64_t(w.kernel_w) * std::uint64_t(w.in_c);
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    const auto n = [](std::int64_t value) { return FieldValue(value); };
    return {{Shape::image(5, 4, 2), {{"units", n(3)}}},
            {Shape::image(4, 5, 1), {{"units", n(2)}, {"kernel", n(2)}, {"padding", "same"}}},
            {Shape::image(5, 5, 2), {{"units", n(2)}, {"stride", n(2)}, {"padding", "same"}}},
            {Shape::image(6, 5, 1),
             {{"units", n(2)}, {"kernel", n(4)}, {"stride", n(3)}, {"padding", n(2)}}},
            {Shape::image(3, 3, 4), {{"units", n(1)}, {"kernel", n(1)}, {"stride", n(2)}}}};
  }
};

/// Output size and leading zeros along one side of the image.
struct Side {
  int out = 0, pad = 0;
};

Side fit(int size, int kernel, int stride, const FieldValue& padding) {
  if (const auto* text = std::get_if<std::string>(&padding); text != nullptr && *text == "same") {
    const int out = (size + stride - 1) / stride;
    return {out, std::max((out - 1) * stride + kernel - size, 0) / 2};
  }
  const auto* zeros = std::get_if<std::int64_t>(&padding);
  const int pad = zeros != nullptr ? static_cast<int>(*zeros) : 0;
  if (size + 2 * pad < kernel) return {};
  return {(size + 2 * pad - kernel) / stride + 1, pad};
}

}  // namespace

Conv2d Conv2d::from(const Fields& fields, const Shape& image) {
  const int kernel = static_cast<int>(integer(fields, "kernel"));
  const int stride = static_cast<int>(integer(fields, "stride"));
  const FieldValue& padding = fields.at("padding");
  const Side down = fit(image.height(), kernel, stride, padding);
  const Side across = fit(image.width(), kernel, stride, padding);
  if (down.out < 1 || across.out < 1) {
    throw SpecError(-1, "kernel",
                    "a kernel of " + std::to_string(kernel) + " does not fit an image of " +
                        image.text() + "; use a smaller kernel or padding: same");
  }
  if (std::max(down.pad, across.pad) >= kernel) {
    throw SpecError(-1, "padding",
                    "padding must be smaller than the kernel (" + std::to_string(kernel) + ")");
  }
  const auto units = static_cast<std::int32_t>(integer(fields, "units"));
  return {.units = units,
          .activation = activation_of(fields),
          .window = {.in_h = image.height(),
                     .in_w = image.width(),
                     .in_c = image.channels(),
                     .out_h = down.out,
                     .out_w = across.out,
                     .out_c = units,
                     .kernel_h = kernel,
                     .kernel_w = kernel,
                     .stride_h = stride,
                     .stride_w = stride,
                     .pad_h = down.pad,
                     .pad_w = across.pad}};
}

const Layer& conv2d_layer() {
  static const Conv2dLayer kLayer;
  return kLayer;
}

}  // namespace nn
