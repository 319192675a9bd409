#pragma once
// auto: the size that a network needs, from any start and without a field to set.
//
// The sizes that the study file gives are forgotten. The trial's network is born with 32 units a
// layer (a channel of a convolution stands for eight units), and near the end of its training
// others, which are trained from their own birth to the same moment, are held against it:
//   1. 4, 8, 16 and 32 units, each with the pull to 0 of `prune` and without;
//   2. a layer more, as long as that is clearly better, up to three more;
//   3. twice the units, as long as that is clearly better, by the pull that did better before.
// Then the smallest of all that is nearly as good as the best goes on. Small networks cost little:
// a network of half the units costs a quarter, so that all smaller ones together cost less than the
// largest. Nothing has to foretell from an early race who wins a long training.

#include "nn/adapt/policy.h"

namespace nn {

[[nodiscard]] PolicyKind auto_policy();

}  // namespace nn
