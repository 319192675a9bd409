#pragma once
// Moves images at random while training, so that a network sees each image a little differently in
// every epoch. The move of a row is a function of the training's stream, the row's number in the
// data and the epoch. It never depends on the row's place in a batch, the parts of the batch or the
// segment of training.

#include <cstdint>

#include "kernels/kernels.h"
#include "nn/training/hyper.h"

namespace nn {

/// Draws the moves of rows: uniform shifts of up to `shift` pixels along each side, and each
/// mirroring that `flip` allows with probability 1/2.
class Mover {
 public:
  /// `stream` as in Hyper::shuffle.
  Mover(const Augment& augment, std::uint64_t stream);

  [[nodiscard]] kern::ImageMove move(std::uint32_t row, std::int64_t epoch) const;

 private:
  Augment augment_;
  std::uint64_t key_;
};

/// Returns true if images are moved at all.
[[nodiscard]] constexpr bool moves(const Augment& augment) {
  return augment.shift > 0 || augment.flip != Flip::none;
}

}  // namespace nn
