#pragma once
// Geometries that the convolution and pooling tests share.

#include <string>
#include <vector>

#include "tests/kernels/support.h"

namespace kern::test {

/// A window over `size` pixels with the output size that follows (rounded down).
inline Window window(int batch, int in_h, int in_w, int in_c, int out_c, int kernel_h, int kernel_w,
                     int stride, int pad) {
  Window w{.batch = batch,
           .in_h = in_h,
           .in_w = in_w,
           .in_c = in_c,
           .out_c = out_c,
           .kernel_h = kernel_h,
           .kernel_w = kernel_w,
           .stride_h = stride,
           .stride_w = stride,
           .pad_h = pad,
           .pad_w = pad};
  w.out_h = (in_h + 2 * pad - kernel_h) / stride + 1;
  w.out_w = (in_w + 2 * pad - kernel_w) / stride + 1;
  return w;
}

/// The same with pixels left out between the positions of the kernel, and channels in groups.
inline Window sparse(Window w, int dilation, int groups) {
  w.dilation_h = w.dilation_w = dilation;
  w.groups = groups;
  w.out_h = (w.in_h + 2 * w.pad_h - (w.kernel_h - 1) * dilation - 1) / w.stride_h + 1;
  w.out_w = (w.in_w + 2 * w.pad_w - (w.kernel_w - 1) * dilation - 1) / w.stride_w + 1;
  return w;
}

inline std::size_t input_size(const Window& w) {
  return std::size_t(w.batch) * w.in_h * w.in_w * w.in_c;
}
inline std::size_t output_size(const Window& w) {
  return std::size_t(w.batch) * w.out_h * w.out_w * w.out_c;
}
inline std::size_t weights_size(const Window& w) {
  return std::size_t(w.out_c) * w.kernel_h * w.kernel_w * (w.in_c / w.groups);
}

inline std::string describe(const Window& w) {
  return std::to_string(w.batch) + "x" + std::to_string(w.in_h) + "x" + std::to_string(w.in_w) +
         "x" + std::to_string(w.in_c) + " -> " + std::to_string(w.out_c) + "@" +
         std::to_string(w.kernel_h) + "x" + std::to_string(w.kernel_w) + " stride " +
         std::to_string(w.stride_h) + " pad " + std::to_string(w.pad_h) + " dilation " +
         std::to_string(w.dilation_h) + " groups " + std::to_string(w.groups);
}

}  // namespace kern::test
