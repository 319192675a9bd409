#pragma once
// lars: You, Gitman & Ginsburg 2017, algorithm 1. A layer's step has a length of `lr` * `trust`
// times that of its weights, whatever the length of its gradient. The norms are those of all that a
// layer trains, its biases included: a bias begins at 0, and a norm of its own would keep it there.
// Slots: velocity, where momentum is not 0. It holds steps, rates included, as in the paper.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& lars_optimizer();

}  // namespace nn
