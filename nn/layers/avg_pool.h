#pragma once
// avg_pool: the mean of each square window of each channel. Windows never reach over the edge.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& avg_pool_layer();

}  // namespace nn
