#pragma once
// batch_norm (Ioffe & Szegedy 2015): every feature of a vector, or channel of an image, gets mean 0
// and variance 1, then a learnt scale and shift: y = act((x - mean) / sqrt(variance + epsilon) *
// scale + shift). All four tensors are [features or channels].
//
// In training, mean and variance are those of the rows of one part of the batch (a shard; all
// positions of an image count); in inference the running ones, which are state in the slab. After a
// step, running += momentum * (step's - running), where the step's statistics are the mean over its
// parts, weighted by their rows, and a part's variance counts with n / (n - 1). A part of one value
// has no variance: it leaves the running one alone.

#include "nn/layers/layer.h"

namespace nn {

[[nodiscard]] const Layer& batch_norm_layer();

}  // namespace nn
