#pragma once
// sgd: stochastic gradient descent, with momentum as PyTorch defines it. Slots: velocity, where
// momentum is not 0.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& sgd_optimizer();

}  // namespace nn
