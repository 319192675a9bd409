#include "runtime/net/sums/tree.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace rt::net::sums {

namespace {

void collect(ShardRange node, ShardRange range, std::vector<ShardRange>& found) {
  if (node.last <= range.first || range.last <= node.first) return;
  if (range.first <= node.first && node.last <= range.last) {
    found.push_back(node);
    return;
  }
  const int middle = split_of(node);
  collect({node.first, middle}, range, found);
  collect({middle, node.last}, range, found);
}

}  // namespace

ShardRange shards_of(int member, int members, int shards) noexcept {
  const auto bound = [&](std::int64_t i) { return static_cast<int>(i * shards / members); };
  return {bound(member), bound(member + 1)};
}

int split_of(ShardRange subtree) noexcept {
  return subtree.first + static_cast<int>(std::bit_ceil(static_cast<unsigned>(subtree.size())) / 2);
}

std::vector<ShardRange> subtrees_of(ShardRange range, int shards) {
  std::vector<ShardRange> found;
  if (range.size() > 0) collect({0, shards}, range, found);
  return found;
}

bool is_balanced(int members, int shards) noexcept {
  return shards >= members && std::has_single_bit(static_cast<unsigned>(members)) &&
         std::has_single_bit(static_cast<unsigned>(shards));
}

}  // namespace rt::net::sums
