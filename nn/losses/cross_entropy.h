#pragma once
// cross_entropy: softmax of the outputs [rows, classes], then minus the logarithm of the label's
// share. Outputs are logits; softmax and logarithm are one kernel, so large logits stay exact.
// Label smoothing: Szegedy et al. 2016, section 7. With class weights a class counts in a smoothed
// target by its own weight, as in PyTorch.

#include "nn/losses/loss.h"

namespace nn {

[[nodiscard]] const Loss& cross_entropy_loss();

}  // namespace nn
