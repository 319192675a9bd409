#pragma once
// dropout (Srivastava et al. 2014): in training every element is 0 with the probability `rate`, and
// the others are divided by 1 - rate; inference leaves all as they are.
//
// Whether an element is dropped hangs on the stream of the training, the layer's name, the step,
// the number of the row in the data, the position in the image and the unit, so that a unit is
// treated alike whatever the widths of the network, the parts of the batch or the segment of
// training.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& dropout_layer();

}  // namespace nn
