#pragma once
// adamw: Adam with decoupled weight decay (Loshchilov & Hutter 2019, algorithm 2): a step first
// takes lr * weight_decay of each weight away, and the moments know nothing of it. As in PyTorch's
// AdamW the share follows the rate, schedules included. Slots: m, v.

#include "nn/optimizers/optimizer.h"

namespace nn {

[[nodiscard]] const Optimizer& adamw_optimizer();

}  // namespace nn
