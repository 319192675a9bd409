#pragma once
// Moving images at random while training, so that a network sees each a little differently in every
// epoch. What a row does is a function of (the training's stream, the row's number in the data, the
// epoch): never of its place in a batch, the parts of the batch or the stretch of training.

#include <cstdint>

#include "kernels/kernels.h"
#include "nn/hyper.h"

namespace nn {

/// Draws the moves of rows. Uniform: each way down, up, right and left by up to `shift` pixels, and
/// each mirroring that `flip` allows every other time.
class Mover {
 public:
  /// `stream` as in Hyper::shuffle.
  Mover(const Augment& augment, std::uint64_t stream);

  [[nodiscard]] kern::ImageMove move(std::uint32_t row, std::int64_t epoch) const;

 private:
  Augment augment_;
  std::uint64_t key_;
};

/// Whether anything is moved at all.
[[nodiscard]] constexpr bool moves(const Augment& augment) {
  return augment.shift > 0 || augment.flip != Flip::none;
}

}  // namespace nn
