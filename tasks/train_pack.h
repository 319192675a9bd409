#pragma once
// Training calls that run as one: what they share is the reading of batches.

#include "nn/data/dataset.h"
#include "nn/model/slab.h"
#include "nn/training/hyper.h"
#include "nn/training/train.h"
#include "runtime/access.h"
#include "runtime/context.h"
#include "runtime/pack.h"

namespace tasks {

/// What the task "train" takes and returns.
using TrainCall = nn::TrainStats(rt::inout<nn::ParamSlab>, rt::in<nn::Dataset>, nn::Hyper,
                                 nn::Segment, double);

/// Calls that train the same network on the same batches of the same table, as many as gain by it:
/// by a model of costs that looks at sizes alone.
[[nodiscard]] rt::PackFit train_fit(const nn::ParamSlab& net, const nn::Dataset& data,
                                    const nn::Hyper& hyper, const nn::Segment& segment);

/// The body for them; `trained` is told of each segment that came to its end.
void train_together(rt::Context& context, rt::Pack<TrainCall>& calls,
                    void (*trained)(const nn::Segment&));

}  // namespace tasks
