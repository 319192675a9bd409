#include "nn/layers/conv2d.h"

#include <algorithm>

#include "nn/layers/activating.h"

namespace nn {
namespace {

template <class T>
class Conv2dOp final : public LayerOp<T> {
 public:
  explicit Conv2dOp(const LayerPlan<T>& plan)
      : conv_(Conv2d::from(plan.spec.fields, plan.in.shape)),
        activation_(conv_.activation, plan.out.shape.elements(), plan),
        weight_(plan.params[0].offset),
        bias_(plan.params[1].offset) {
    kern::Window full = conv_.window;
    full.batch = plan.max_rows;
    scratch_bytes_ = plan.kernels.conv_scratch(full);
  }

  [[nodiscard]] LayerNeeds needs() const override {
    return {.input_in_backward = true,
            .output_in_backward = activation_.output_in_backward(),
            .saved_bytes = activation_.saved_bytes(),
            .scratch_bytes = scratch_bytes_};
  }

  void forward(const LayerPass<T>& p) const override {
    const kern::Window w = window(p.rows);
    p.kernels.conv_forward(p.exec, w, p.x, p.weights + weight_, p.weights + bias_,
                           activation_.at_once(), activation_.target(p));
    activation_.finish(p, static_cast<std::size_t>(p.rows) * static_cast<std::size_t>(w.out_h) *
                              static_cast<std::size_t>(w.out_w) *
                              static_cast<std::size_t>(w.out_c));
  }

  void backward(const LayerPass<T>& p) const override {
    const kern::Window w = window(p.rows);
    activation_.backward(p, p.rows * w.out_h * w.out_w, w.out_c, p.gradient + bias_);
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
  Activating<T> activation_;
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
             .doc = "Pixels from one position of the kernel to the next."},
            {.name = "padding",
             .type = FieldType::integer_or_word,
             .min = 0,
             .max = 127,
             .choices = {"valid", "same"},
             .value = "valid",
             .doc = "Rows and columns of zeros around the image. `valid`: none. `same`: enough for "
                    "size / stride positions, rounded up; if their number is odd, the extra one is "
                    "added at the end. A number: that many on each side."},
            {.name = "dilation",
             .type = FieldType::integer,
             .min = 1,
             .max = 255,
             .value = std::int64_t{1},
             .doc = "Pixels from one element of the kernel to the next.",
             .quiet = true},
            {.name = "groups",
             .type = FieldType::integer,
             .min = 1,
             .max = 65'536,
             .value = std::int64_t{1},
             .doc = "Number of equal parts of the units and of the input channels. Each part of "
                    "the units reads its own part of the channels. A layer with groups never "
                    "changes its number of units, nor do the layers that it reads.",
             .quiet = true},
            activation_field()}};
    return kInfo;
  }

  [[nodiscard]] Flow flow(const LayerSpec& spec, const Flow& in) const override {
    if (!in.shape.is_image()) {
      throw SpecError(-1, "",
                      "conv2d needs an image as its input, but rows of a table are not images, "
                      "and a dense or flatten layer turns an image into a vector");
    }
    const Conv2d conv = Conv2d::from(spec.fields, in.shape);
    return {Shape::image(conv.window.out_h, conv.window.out_w, conv.units),
            {.group = spec.name, .units = conv.units}};
  }

  [[nodiscard]] std::string holds_units(const LayerSpec& spec) const override {
    return integer(spec.fields, "groups") > 1 ? "reads its channels in groups" : "";
  }

  [[nodiscard]] std::vector<ParamTensor> params(const LayerSpec& spec,
                                                const Flow& in) const override {
    const Conv2d conv = Conv2d::from(spec.fields, in.shape);
    const std::int32_t kernel = conv.window.kernel_h;
    const std::int64_t area = std::int64_t{kernel} * kernel;
    const AxisRole own{.group = spec.name, .units = conv.units};
    const AxisRole place{.units = kernel};
    const std::int32_t groups = conv.window.groups, read = in.shape.channels() / groups;
    const AxisRole of_group{.units = read};
    return {{.name = spec.name + ".weight",
             .role = ParamRole::weight,
             .dims = {conv.units, kernel, kernel, read},
             .axes = {own, place, place, groups == 1 ? in.units : of_group},
             .out_axis = 0,
             .init = init_for(conv.activation),
             .fan_in = area * read,
             .fan_out = area * conv.units / groups},
            {.name = spec.name + ".bias",
             .role = ParamRole::bias,
             .dims = {conv.units},
             .axes = {own}}};
  }

  [[nodiscard]] std::uint64_t flops(const LayerSpec& spec, const Flow& in) const override {
    const kern::Window w = Conv2d::from(spec.fields, in.shape).window;
    return 2 * std::uint64_t(w.out_h) * std::uint64_t(w.out_w) * std::uint64_t(w.out_c) *
           std::uint64_t(w.kernel_h) * std::uint64_t(w.kernel_w) * std::uint64_t(w.in_c / w.groups);
  }

  [[nodiscard]] std::vector<LayerExample> examples() const override {
    const auto n = [](std::int64_t value) { return FieldValue(value); };
    return {{Shape::image(5, 4, 2), {{"units", n(3)}}},
            {Shape::image(4, 5, 1), {{"units", n(2)}, {"kernel", n(2)}, {"padding", "same"}}},
            {Shape::image(5, 5, 2), {{"units", n(2)}, {"stride", n(2)}, {"padding", "same"}}},
            {Shape::image(6, 5, 1),
             {{"units", n(2)}, {"kernel", n(4)}, {"stride", n(3)}, {"padding", n(2)}}},
            {Shape::image(3, 3, 4), {{"units", n(1)}, {"kernel", n(1)}, {"stride", n(2)}}},
            {Shape::image(6, 5, 2),
             {{"units", n(2)}, {"kernel", n(2)}, {"dilation", n(2)}, {"padding", "same"}}},
            {Shape::image(4, 4, 4), {{"units", n(6)}, {"groups", n(2)}}},
            {Shape::image(5, 4, 3),
             {{"units", n(3)}, {"groups", n(3)}, {"dilation", n(2)}, {"padding", n(2)}}}};
  }
};

/// Output size and leading zeros along one side of the image.
struct Side {
  int out = 0, pad = 0;
};

/// `kernel` counts the pixels from its first position to its last, both included.
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

void check_groups(std::int32_t units, std::int32_t channels, std::int32_t groups) {
  if (units % groups == 0 && channels % groups == 0) return;
  throw SpecError(-1, "groups",
                  "groups must divide the units (" + std::to_string(units) +
                      ") and the channels that enter (" + std::to_string(channels) + "), not be " +
                      std::to_string(groups));
}

}  // namespace

Conv2d Conv2d::from(const Fields& fields, const Shape& image) {
  const int kernel = static_cast<int>(integer(fields, "kernel"));
  const int stride = static_cast<int>(integer(fields, "stride"));
  const FieldValue& padding = fields.at("padding");
  const int dilation = static_cast<int>(integer(fields, "dilation"));
  const int reach = (kernel - 1) * dilation + 1;
  std::string text = std::to_string(kernel);
  if (dilation > 1)
    text += " with dilation " + std::to_string(dilation) + ", so of " + std::to_string(reach) +
            " pixels,";
  const Side down = fit(image.height(), reach, stride, padding);
  const Side across = fit(image.width(), reach, stride, padding);
  if (down.out < 1 || across.out < 1) {
    throw SpecError(-1, "kernel",
                    "a kernel of " + text + " does not fit an image of " + image.text() +
                        "; use a smaller kernel or padding: same");
  }
  if (std::max(down.pad, across.pad) >= reach) {
    throw SpecError(-1, "padding", "padding must be smaller than the kernel (" + text + ")");
  }
  const auto units = static_cast<std::int32_t>(integer(fields, "units"));
  const auto groups = static_cast<std::int32_t>(integer(fields, "groups"));
  check_groups(units, image.channels(), groups);
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
                     .pad_w = across.pad,
                     .dilation_h = dilation,
                     .dilation_w = dilation,
                     .groups = groups}};
}

const Layer& conv2d_layer() {
  static const Conv2dLayer kLayer;
  return kLayer;
}

}  // namespace nn
