#pragma once
// Convolutions by a library of the device: cudnn.cpp, or no_cudnn.cpp where there is none. Each
// function returns false, and has done nothing, where the library is missing or has no algorithm
// for the geometry that always gives the same bits and works in what Kernels::conv_scratch
// announces. Contracts: kernels/kernels.h.

#include <string>

#include "kernels/device.h"

namespace kern::KERN_ON {

[[nodiscard]] bool library_forward(Exec&, const Window&, Precision, const float* x, const float* w,
                                   const float* bias, Activation, float* y);
[[nodiscard]] bool library_backward_data(Exec&, const Window&, Precision, const float* dy,
                                         const float* w, float* dx);
[[nodiscard]] bool library_backward_weights(Exec&, const Window&, Precision, const float* x,
                                            const float* dy, float* dw);

/// Device::library_conv_seconds.
[[nodiscard]] double library_conv_seconds(const Window&, Precision, ConvStep);

/// Its name and version, empty where it is missing.
[[nodiscard]] std::string conv_library();

}  // namespace kern::KERN_ON
