#pragma once
// How the convolutions of devices are cut into products. Host code alone: plans are made where no
// device is, too.

#include <cstddef>

#include "kernels/cuda/winograd_plan.h"
#include "kernels/kernels.h"

namespace kern {

/// A convolution of one group of channels, cut into pieces of images.
struct ConvPlan {
  Window g;
  int part_in, part_out, depth;  ///< channels of a group that enter and leave; numbers in a row
  int pixels;                    ///< rows that an image makes
  int images;                    ///< in a piece
  bool direct;                   ///< the image is the matrix

  explicit ConvPlan(const Window& w)
      : g(w),
        part_in(w.in_c / w.groups),
        part_out(w.out_c / w.groups),
        depth(w.kernel_h * w.kernel_w * part_in),
        pixels(w.out_h * w.out_w),
        direct(w.kernel_h == 1 && w.kernel_w == 1 && w.stride_h == 1 && w.stride_w == 1 &&
               w.pad_h == 0 && w.pad_w == 0) {
    constexpr std::size_t kMostBytes = std::size_t{64}
                                       << 20;  // of the matrix, where an image allows
    const std::size_t fit = kMostBytes / (image_elements() * sizeof(float));
    const auto batch = static_cast<std::size_t>(w.batch);
    images = static_cast<int>(fit < 1 ? 1 : fit < batch ? fit : batch);
  }

  [[nodiscard]] std::size_t image_elements() const {
    return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(depth);
  }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return direct ? 0 : static_cast<std::size_t>(images) * image_elements() * sizeof(float);
  }
  [[nodiscard]] std::size_t in_image() const {
    return static_cast<std::size_t>(g.in_h) * static_cast<std::size_t>(g.in_w) *
           static_cast<std::size_t>(g.in_c);
  }
  [[nodiscard]] std::size_t out_image() const {
    return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(g.out_c);
  }
  /// Weights of a group, and where it begins among channels.
  [[nodiscard]] std::size_t weights(int group) const {
    return static_cast<std::size_t>(group) * static_cast<std::size_t>(part_out) *
           static_cast<std::size_t>(depth);
  }
};

/// Kernels::conv_scratch of devices.
[[nodiscard]] inline std::size_t device_conv_scratch(const Window& g) {
  if (g.batch == 0) return 0;
  const std::size_t products = ConvPlan(g).scratch_bytes();
  return WinogradPlan::fits(g) ? std::max(products, WinogradPlan(g).scratch_bytes()) : products;
}

}  // namespace kern
