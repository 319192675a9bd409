#pragma once
// huber: mean over the outputs of d^2 / 2 for differences d up to delta, of delta (|d| - delta / 2)
// beyond (Huber 1964). Targets are standardised, so delta counts in standard deviations of the
// target in the training part.

#include "nn/losses/loss.h"

namespace nn {

[[nodiscard]] const Loss& huber_loss();

}  // namespace nn
