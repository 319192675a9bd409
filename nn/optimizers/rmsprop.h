#pragma once
// rmsprop: gradients divided by the root of their running mean square, as PyTorch defines it.
// Slots: v, then velocity where momentum is not 0.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& rmsprop_optimizer();

}  // namespace nn
