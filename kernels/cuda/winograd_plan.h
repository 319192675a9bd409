#pragma once
// Which convolutions of devices go by Winograd's method, and how they are cut. Host code alone:
// plans are made where no device is, too.

#include <algorithm>
#include <cstddef>

#include "kernels/kernels.h"

namespace kern {

/// A convolution whose outputs are computed in tiles of 4x4 pixels, each from 6x6 pixels and 36
/// products of channels.
struct WinogradPlan {
  static constexpr int kTile = 4, kPoints = 36;

  Window g;
  int high, wide;  ///< tiles of an image
  int images;      ///< in a piece
  /// The tiles of a piece are cut into so many parts where the gradient of the weights is summed,
  /// so that small weights make work for a whole device.
  int parts;

  explicit WinogradPlan(const Window& w)
      : g(w), high((w.out_h + kTile - 1) / kTile), wide((w.out_w + kTile - 1) / kTile) {
    constexpr std::size_t kMostBytes = std::size_t{64} << 20;  // of points, where an image allows
    const std::size_t fit =
        kMostBytes / (points(static_cast<std::size_t>(tiles()), w.in_c + w.out_c) * sizeof(float));
    images = static_cast<int>(
        std::clamp(fit, std::size_t{1}, static_cast<std::size_t>(std::max(w.batch, 1))));
    constexpr int kMostParts = 8, kEnoughWeights = kMostParts * 64 * 64;
    parts = std::clamp(kEnoughWeights / (w.in_c * w.out_c), 1, kMostParts);
  }

  /// 3x3 kernels that move by a pixel, with as many channels as make the products worth it, where
  /// tiles are so full that they save half of the multiplications.
  [[nodiscard]] static bool fits(const Window& w) {
    constexpr int kFewestChannels = 32, kTaps = 9;
    if (w.kernel_h != 3 || w.kernel_w != 3 || w.stride_h != 1 || w.stride_w != 1 ||
        w.dilation_h != 1 || w.dilation_w != 1 || w.groups != 1 || w.pad_h > 2 || w.pad_w > 2 ||
        w.in_c < kFewestChannels || w.out_c < kFewestChannels)
      return false;
    const int high = (w.out_h + kTile - 1) / kTile, wide = (w.out_w + kTile - 1) / kTile;
    return kTaps * w.out_h * w.out_w >= 2 * kPoints * high * wide;
  }
  /// Whether the gradient of the weights is a sum of so many tiles that the roundings of single
  /// ones are lost in it.
  [[nodiscard]] bool sums_weights() const {
    constexpr int kFewestTiles = 16;
    return g.batch >= (kFewestTiles + tiles() - 1) / tiles();
  }

  [[nodiscard]] int tiles() const { return high * wide; }
  /// Numbers of `count` tiles with `channels`.
  [[nodiscard]] static std::size_t points(std::size_t count, int channels) {
    return kPoints * count * static_cast<std::size_t>(channels);
  }
  [[nodiscard]] std::size_t weights() const {
    return static_cast<std::size_t>(g.in_c) * static_cast<std::size_t>(g.out_c);
  }
  /// Tiles of a part of `count` images.
  [[nodiscard]] int part_tiles(int count) const { return (count * tiles() + parts - 1) / parts; }

  /// The same convolution from its outputs to its inputs.
  [[nodiscard]] WinogradPlan turned() const {
    Window back = g;
    std::swap(back.in_h, back.out_h);
    std::swap(back.in_w, back.out_w);
    std::swap(back.in_c, back.out_c);
    back.pad_h = 2 - g.pad_h;
    back.pad_w = 2 - g.pad_w;
    return WinogradPlan(back);
  }

  /// What a convolution forwards works in.
  [[nodiscard]] std::size_t forward_bytes() const {
    const std::size_t piece = static_cast<std::size_t>(images) * static_cast<std::size_t>(tiles());
    return sizeof(float) * (kPoints * weights() + points(piece, g.in_c + g.out_c));
  }
  /// What the gradient of the weights works in.
  [[nodiscard]] std::size_t weights_bytes() const {
    const auto cut = static_cast<std::size_t>(parts);
    const std::size_t piece = cut * static_cast<std::size_t>(part_tiles(images));
    return sizeof(float) * (kPoints * cut * weights() + points(piece, g.in_c + g.out_c));
  }
  [[nodiscard]] std::size_t scratch_bytes() const {
    return std::max({forward_bytes(), weights_bytes(), turned().forward_bytes()});
  }
};

}  // namespace kern
