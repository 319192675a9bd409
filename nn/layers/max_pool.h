#pragma once
// max_pool: the largest value in each square window of each channel. Windows never reach over the
// edge.

#include "nn/layers/layer.h"

namespace nn {

/// The geometry for an image; batch is 0. Throws SpecError when the window is larger than the
/// image.
[[nodiscard]] kern::Window max_pool_window(const Fields& fields, const Shape& image);

[[nodiscard]] const Layer& max_pool_layer();

}  // namespace nn
