#include "nn/training/augment.h"

#include "nn/training/random.h"

namespace nn {
namespace {

/// A whole number in [-most, most], each as likely as any other up to 2^-32.
std::int32_t within(std::int32_t most, std::uint32_t bits) {
  const auto count = static_cast<std::uint64_t>(2 * most + 1);
  return static_cast<std::int32_t>(bits * count >> 32) - most;
}

}  // namespace

Mover::Mover(const Augment& augment, std::uint64_t stream)
    : augment_(augment), key_(RandomKey{stream}.derive("augment").value) {}

kern::ImageMove Mover::move(std::uint32_t row, std::int64_t epoch) const {
  const auto word = random_block(RandomKey{key_}, {row, static_cast<std::uint32_t>(epoch), 0, 0});
  const bool mirrors = augment_.flip == Flip::horizontal || augment_.flip == Flip::both;
  const bool upends = augment_.flip == Flip::vertical || augment_.flip == Flip::both;
  return {.down = within(augment_.shift, word[0]),
          .right = within(augment_.shift, word[1]),
          .mirror = mirrors && (word[2] >> 31) != 0,
          .upside_down = upends && (word[3] >> 31) != 0};
}

}  // namespace nn
