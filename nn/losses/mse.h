#pragma once
// mse: mean over the outputs of the squared difference between output and target.

#include "nn/losses/loss.h"

namespace nn {

[[nodiscard]] const Loss& mse_loss();

}  // namespace nn
