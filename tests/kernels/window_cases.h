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

/// Geometries of convolutions, drawn and chosen: none, one and odd numbers of everything.
inline std::vector<Window> conv_windows() {
  std::vector<Window> all{window(0, 5, 5, 2, 3, 3, 3, 1, 0), window(1, 1, 1, 1, 1, 1, 1, 1, 0),
                          window(2, 28, 28, 1, 6, 5, 5, 1, 0), window(3, 12, 12, 6, 16, 5, 5, 1, 0),
                          window(2, 9, 7, 3, 32, 3, 3, 1, 1), window(2, 11, 13, 16, 8, 3, 5, 2, 1),
                          window(1, 8, 8, 17, 33, 1, 1, 1, 0), window(2, 7, 7, 5, 7, 2, 2, 2, 0),
                          window(4, 12, 12, 32, 64, 5, 5, 1, 0),
                          window(5, 6, 6, 24, 40, 3, 3, 3, 2), window(1, 30, 4, 2, 20, 7, 3, 1, 1),
                          sparse(window(2, 12, 11, 6, 8, 3, 3, 1, 2), 2, 1),
                          sparse(window(3, 9, 9, 8, 12, 3, 3, 1, 1), 1, 4),
                          sparse(window(2, 10, 8, 16, 16, 3, 3, 2, 1), 1, 16),
                          sparse(window(2, 13, 12, 6, 9, 2, 3, 2, 1), 3, 3),
                          sparse(window(1, 7, 7, 4, 8, 1, 1, 1, 0), 1, 2),
                          window(3, 9, 11, 32, 33, 3, 3, 1, 1), window(2, 6, 6, 64, 32, 3, 3, 1, 0),
                          window(2, 5, 3, 40, 48, 3, 3, 1, 2), window(6, 8, 8, 33, 35, 3, 3, 1, 1),
                          // A row of the kernel is longer than a pass, so a sum takes several.
                          window(1, 9, 7, 400, 17, 2, 2, 1, 0)};
  Random random(77);
  for (int i = 0; i < 12; ++i) {
    const int kernel = 1 + random.below(4);
    all.push_back(window(1 + random.below(3), kernel + random.below(9), kernel + random.below(9),
                         1 + random.below(20), 1 + random.below(40), kernel, kernel,
                         1 + random.below(2), random.below(kernel)));
  }
  return all;
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
