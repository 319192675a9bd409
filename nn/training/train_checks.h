#pragma once
// The checks that a training makes before it changes anything.

#include "kernels/kernels.h"
#include "nn/data/data_view.h"
#include "nn/model/slab.h"
#include "nn/network/network.h"
#include "nn/training/gang.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"

namespace nn {

/// Throws base::Error unless the slab has the optimizer's slots, the segment is valid, the kernels
/// have the precision of `hyper`, and this thread flushes denormals.
void check_training(const kern::Kernels<float>& kernels, const ParamSlab& net, const Hyper& hyper,
                    const Segment& segment);

/// Throws base::Error (study) unless a gang can run the training, of which this member computes
/// those shards.
void check_gang(const kern::Memory& memory, const Hyper& hyper, GradientSums::Shards own);

/// Throws base::Error (study) unless a pipeline of that many stages can run the training.
void check_pipeline(const kern::Memory& memory, const Hyper& hyper, const ModelSpec& spec,
                    int stages);

/// Throws base::Error unless the network, planned for this training, takes the data's rows.
void check_data(const Network<float>& network, const DataView& data, const Hyper& hyper);

}  // namespace nn
