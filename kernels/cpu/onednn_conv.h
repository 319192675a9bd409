#pragma once
// Convolutions by oneDNN behind the plain NHWC interface.

#include "kernels/cpu/conv_choice.h"
#include "kernels/kernels.h"

namespace kern::cpu {

/// Contracts: kernels/kernels.h. Primitives are made once a thread and shape. No activation.
void onednn_conv_forward(Exec&, const Window&, const float* x, const float* w, const float* bias,
                         float* y);
void onednn_conv_backward_data(Exec&, const Window&, const float* dy, const float* w, float* dx);
void onednn_conv_backward_weights(Exec&, const Window&, const float* x, const float* dy, float* dw);
[[nodiscard]] std::size_t onednn_conv_scratch(ConvStep, const Window&);

}  // namespace kern::cpu
