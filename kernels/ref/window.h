#pragma once
// Index arithmetic of NHWC images and their windows, for the reference convolution and pooling.

#include <cstddef>

#include "kernels/kernels.h"

namespace kern::ref {

/// Visits every (output position, kernel position) pair whose input pixel lies inside the image:
/// f(output pixel, kernel position, input pixel), pixels counted over batch, rows and columns.
template <class F>
void for_each_tap(const Window& w, F f) {
  for (std::ptrdiff_t b = 0; b < w.batch; ++b)
    for (std::ptrdiff_t oy = 0; oy < w.out_h; ++oy)
      for (std::ptrdiff_t ox = 0; ox < w.out_w; ++ox)
        for (std::ptrdiff_t ky = 0; ky < w.kernel_h; ++ky)
          for (std::ptrdiff_t kx = 0; kx < w.kernel_w; ++kx) {
            const std::ptrdiff_t y = oy * w.stride_h - w.pad_h + ky * w.dilation_h,
                                 x = ox * w.stride_w - w.pad_w + kx * w.dilation_w;
            if (y < 0 || y >= w.in_h || x < 0 || x >= w.in_w) continue;
            f((b * w.out_h + oy) * w.out_w + ox, ky * w.kernel_w + kx,
              (b * w.in_h + y) * w.in_w + x);
          }
}

inline std::ptrdiff_t input_pixels(const Window& w) {
  return std::ptrdiff_t(w.batch) * w.in_h * w.in_w;
}
inline std::ptrdiff_t output_pixels(const Window& w) {
  return std::ptrdiff_t(w.batch) * w.out_h * w.out_w;
}
inline std::ptrdiff_t kernel_positions(const Window& w) {
  return std::ptrdiff_t(w.kernel_h) * w.kernel_w;
}

}  // namespace kern::ref
