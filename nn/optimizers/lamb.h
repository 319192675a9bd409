#pragma once
// lamb: You et al. 2020, algorithm 2 with phi(z) = z and the moments' biases corrected, as in the
// authors' experiments. Adam's direction with decoupled weight decay, as long, layer by layer, as
// `lr` times the layer's weights. The norms are those of lars.h. Slots: m, v.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& lamb_optimizer();

}  // namespace nn
