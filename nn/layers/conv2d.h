#pragma once
// conv2d: y = act(conv(x, W) + b) over NHWC images, square kernels. W is [units, kernel, kernel, in
// channels / groups], b is [units]. As in every framework it is the cross-correlation: the kernel
// is not flipped. With groups (Krizhevsky et al. 2012) the units and the channels that enter are
// cut into so many equal parts, and each part of the units reads its own part of the channels; with
// dilation (Yu & Koltun 2016) a kernel's positions lie that many pixels apart. The channels of a
// convolution with groups belong to their place, so none may come or go (Layer::holds_units).

#include "kernels/kernels.h"
#include "nn/fields.h"
#include "nn/model/shape.h"

namespace nn {

class Layer;

/// A convolution's fields, read out against its input.
struct Conv2d {
  std::int32_t units = 0;
  kern::Activation activation = kern::Activation::none;
  kern::Window window;  ///< batch is 0

  /// Padding `same` keeps ceil(size / stride) positions and puts the odd row or column of zeros at
  /// the end. Throws SpecError when the kernel is larger than the padded image, and when units or
  /// channels are no multiple of the groups.
  [[nodiscard]] static Conv2d from(const Fields& fields, const Shape& image);
};

[[nodiscard]] const Layer& conv2d_layer();

}  // namespace nn
