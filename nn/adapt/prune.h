#pragma once
// prune: training pulls whole units to 0 by a group lasso (nn/training/group_lasso.h), and now and
// then those that came near it are removed for good, so that all that follows is smaller
// (PruneTrain, Lym et al., SC'19). It tries nothing in vain: the whole search is one training.
//
// A unit goes when its norm is below `threshold` times the mean of its layer; where all that goes
// is exactly 0 the network computes what it did, else what reads the layer is fitted anew. Layers
// are shrunk last to first, so that no refit changes the norms of units that are still to be
// judged.

#include "nn/adapt/policy.h"

namespace nn {

[[nodiscard]] PolicyKind prune_policy();

}  // namespace nn
