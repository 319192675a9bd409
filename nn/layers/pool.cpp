#include "nn/layers/pool.h"

namespace nn {

std::vector<FieldInfo> pool_fields(int largest) {
  return {{.name = "kernel",
           .type = FieldType::integer,
           .min = 1,
           .max = static_cast<double>(largest),
           .value = std::int64_t{2},
           .doc = "Height and width of the window."},
          {.name = "stride",
           .type = FieldType::integer_or_word,
           .min = 1,
           .max = 255,
           .choices = {"kernel"},
           .value = "kernel",
           .doc = "Pixels from one window to the next. `kernel`: windows touch without overlap."}};
}

kern::Window pool_window(const Fields& fields, const Shape& image) {
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

Flow pool_flow(std::string_view kind, const Fields& fields, const Flow& in) {
  if (!in.shape.is_image()) {
    throw SpecError(-1, "",
                    std::string(kind) + " needs an image, not " + in.shape.text() + " features");
  }
  const kern::Window w = pool_window(fields, in.shape);
  return {Shape::image(w.out_h, w.out_w, w.out_c), in.units};
}

std::vector<LayerExample> pool_examples() {
  const auto n = [](std::int64_t value) { return FieldValue(value); };
  return {{Shape::image(4, 6, 2), {}},
          {Shape::image(5, 5, 3), {{"kernel", n(3)}, {"stride", n(1)}}},
          {Shape::image(5, 4, 1), {{"kernel", n(2)}, {"stride", n(3)}}}};
}

}  // namespace nn
