#pragma once
// A network whose optimizer gets other options half-way.

#include "nn/model/slab.h"
#include "nn/training/hyper.h"

namespace nn {

/// `net` with the slots that `optimizer` needs: those that both have are kept, further ones are 0,
/// as they are before a first step (a momentum that begins, or ends). Throws
/// base::Error (study) when it is of another kind than the one the network was trained with.
[[nodiscard]] ParamSlab with_slots_for(const ParamSlab& net, const Choice& optimizer);

}  // namespace nn
