#pragma once
// Convolutions that WinogradPlan::fits, in f32. Contracts: kernels/kernels.h.

#include "kernels/kernels.h"

namespace kern::KERN_ON {

void winograd_forward(Exec&, const Window&, const float* x, const float* w, const float* bias,
                      Activation, float* y);
void winograd_backward_data(Exec&, const Window&, const float* dy, const float* w, float* dx);
void winograd_backward_weights(Exec&, const Window&, const float* x, const float* dy, float* dw);

}  // namespace kern::KERN_ON
