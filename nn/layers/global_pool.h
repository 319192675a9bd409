#pragma once
// global_pool: the mean of each channel over the whole image; an image of any size becomes as many
// features as it has channels.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& global_pool_layer();

}  // namespace nn
