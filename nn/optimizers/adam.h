#pragma once
// adam: Kingma & Ba 2015, algorithm 1. Slots: m, v. Weight decay is added to the gradient, as in
// PyTorch's Adam.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& adam_optimizer();

}  // namespace nn
