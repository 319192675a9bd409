#pragma once
// flatten: an image becomes a vector of features, without moving a byte. Channels stay the fastest
// index, so the units of the features are the image's channels, repeated once a pixel.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& flatten_layer();

}  // namespace nn
