#pragma once
// Training one network by several members at the same time, which see each other through this
// interface alone.
//
// Each member runs the same training on a copy of the network. Of every batch it computes some
// consecutive shards; the gradients are summed over all members, and each applies the whole update.
// So all have the same network after each step, with the bits of a training by one.

#include <cstddef>
#include <cstdint>
#include <span>

namespace nn {

/// What a member asks of the others. All members make the same calls in the same order. What a
/// method throws ends the training in the middle of a step.
class GradientSums {
 public:
  /// Some of the shards of a batch: [first, last).
  struct Shards {
    int first = 0, last = 0;
    [[nodiscard]] constexpr int size() const noexcept { return last - first; }
  };

  virtual ~GradientSums() = default;

  /// Returns those of `shards` that this member computes, none if there are more members. Those of
  /// all members are all shards, in order.
  [[nodiscard]] virtual Shards own(int shards) const = 0;

  /// Adds `words` up over the members, modulo 2^32. Of each word all members but one have 0.
  virtual void gather(std::span<std::uint32_t> words) = 0;

  /// Sums elements [0, count) over the shards of all members, in the tree over neighbors in which a
  /// trainer sums them. `blocks` has the gradient of each of this member's shards of a batch of
  /// `shards`, or one block with anything in it. The sum replaces the first block; the others then
  /// hold anything.
  virtual void sum(std::span<float* const> blocks, std::size_t count, int shards) = 0;
};

}  // namespace nn
