#pragma once
// What a training refuses before it changes anything. Both throw base::Error.

#include "kernels/kernels.h"
#include "nn/data_view.h"
#include "nn/hyper.h"
#include "nn/network.h"
#include "nn/slab.h"
#include "nn/train.h"

namespace nn {

/// Unless the slab has the optimizer's slots, the stretch is one, the kernels have the training's
/// precision, and this thread flushes denormals.
void check_training(const kern::Kernels<float>& kernels, const ParamSlab& net, const Hyper& hyper,
                    const Stretch& stretch);

/// Unless the network, planned for this training, takes the data's rows.
void check_data(const Network<float>& network, const DataView& data, const Hyper& hyper);

}  // namespace nn
