#pragma once
// layer_norm (Ba et al. 2016): every row, or every position of an image, gets mean 0 and variance 1
// over its features or channels, then a learnt scale and shift a feature or channel: y = act((x -
// mean) / sqrt(variance + epsilon) * scale + shift). The same in training and inference.
//
// The statistics span the units that enter the layer, so another number of them would change what
// it computes for all: it holds its units (Layer::holds_units), and reshaping leaves them alone.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& layer_norm_layer();

}  // namespace nn
