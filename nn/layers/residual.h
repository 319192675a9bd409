#pragma once
// residual_begin and residual_end (He et al. 2016): the layers between them compute F, and what
// leaves the second is act(x + F(x)), x being what entered the first. F keeps the shape. Blocks may
// stand in one another; an end closes the block opened last. Neither has parameters.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& residual_begin_layer();
[[nodiscard]] const Layer& residual_end_layer();

}  // namespace nn
