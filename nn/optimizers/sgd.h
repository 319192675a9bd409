#pragma once
// sgd: stochastic gradient descent, with momentum as PyTorch defines it, Nesterov's (Sutskever et
// al. 2013) or the classical one. Slots: velocity, where momentum is not 0.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& sgd_optimizer();

}  // namespace nn
