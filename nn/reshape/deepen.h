#pragma once
// deepen: new layers right behind a dense layer or convolution, of the same kind (convolutions of
// kernel 3 that keep the image). What the network computes stays as it is:
//   residual  x + F(x), F being two layers of which the last is 0: exact for any activation. Its
//   first
//             layer's weights are drawn.
//   identity  one layer with the unit matrix (a convolution: with 1 at the kernel's centre) and the
//             activation of the layer before it, which has to be relu or none: exact.
// New layers are called after the old one: fc1_1 for identity, fc1_1_begin, fc1_1_in, fc1_1_out and
// fc1_1_end for residual, with the first number that is free.

#include "nn/reshape/kind.h"

namespace nn {

[[nodiscard]] const ReshapeKind& deepen_operation();

}  // namespace nn
