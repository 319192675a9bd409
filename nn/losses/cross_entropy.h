#pragma once
// cross_entropy: softmax of the outputs, then minus the logarithm of the label's share. Outputs are
// logits; softmax and logarithm are one kernel, so large logits stay exact.

#include "nn/losses/loss.h"

namespace nn {

[[nodiscard]] const Loss& cross_entropy_loss();

}  // namespace nn
