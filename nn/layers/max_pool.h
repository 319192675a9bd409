#pragma once
// max_pool: the largest value in each square window of each channel. Windows never reach over the
// edge.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& max_pool_layer();

}  // namespace nn
