// The tree in which gradients of shards are added, and which parts of it a member of a gang holds.
//
// The tree is nn/training/trainer.cpp's: neighbors first, then pairs of neighbors. A subtree over
// [first, last) splits at the largest power of two below its size, so it begins at a multiple of
// that size, and a shard without a neighbor is passed up unchanged.
#pragma once

#include <vector>

namespace rt::net::sums {

/// The shards [first, last) of a batch.
struct ShardRange {
  int first = 0, last = 0;
  [[nodiscard]] constexpr int size() const noexcept { return last - first; }
  bool operator==(const ShardRange&) const = default;
};

/// Returns the consecutive shards that a member computes. Empty for some members if there are more
/// members than shards.
[[nodiscard]] ShardRange shards_of(int member, int members, int shards) noexcept;

/// Returns the shard at which the right half of a subtree begins. The subtree has two shards at
/// least.
[[nodiscard]] int split_of(ShardRange subtree) noexcept;

/// Returns the fewest subtrees of the tree over `shards` shards that cover `range`, in order.
[[nodiscard]] std::vector<ShardRange> subtrees_of(ShardRange range, int shards);

/// Returns true if each member holds one subtree and the members' subtrees are the leaves of a
/// complete binary tree: both numbers are powers of two, and there are enough shards.
[[nodiscard]] bool is_balanced(int members, int shards) noexcept;

}  // namespace rt::net::sums
