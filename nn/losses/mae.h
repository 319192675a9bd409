#pragma once
// mae: mean over the outputs of the absolute difference between output and target. Its gradient is
// the sign of the difference, 0 where there is none.

#include "nn/losses/loss.h"

namespace nn {

[[nodiscard]] const Loss& mae_loss();

}  // namespace nn
