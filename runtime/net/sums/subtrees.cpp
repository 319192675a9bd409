// Shipped subtrees: any number of members gets the bits of the tree over shards. A rank sum would
// group by member; a whole subtree is a node of the tree whoever has it.
#include <utility>

#include "runtime/net/sums/tree.h"
#include "runtime/net/sums/ways.h"

namespace rt::net::sums {

namespace {

/// A subtree's sum over the elements of one piece of the vector, and where it lies.
struct Held {
  ShardRange node;
  Piece at;
};

/// Adds what is held up to `node`. Returns where the sum is.
Piece finish(ShardRange node, const std::vector<Held>& held, std::vector<Add>& adds) {
  for (const Held& one : held)
    if (one.node == node) return one.at;
  const int middle = split_of(node);
  const Piece left = finish({node.first, middle}, held, adds);
  const Piece right = finish({middle, node.last}, held, adds);
  adds.push_back({left, left, right});
  return left;
}

}  // namespace

void add_subtrees(const Shape& shape, int member, Schedule& schedule) {
  const int members = shape.members;
  const auto piece_of = [&](int owner) {
    const auto bound = [&](int i) {
      return shape.count * static_cast<std::size_t>(i) / static_cast<std::size_t>(members);
    };
    return std::pair(bound(owner), bound(owner + 1) - bound(owner));
  };
  const auto held_by = [&](int peer) {
    return subtrees_of(shards_of(peer, members, shape.shards), shape.shards);
  };
  const auto [own_offset, own_count] = piece_of(member);
  const int own_first = shards_of(member, members, shape.shards).first;
  const Piece result{0, own_offset, own_count};

  Round scatter, gather;
  gather.gathers = true;
  std::vector<Held> held;
  for (const ShardRange& node : held_by(member))
    held.push_back({node, {node.first - own_first, own_offset, own_count}});
  // Each begins with its next neighbor, so that nobody is sent to by all at once.
  for (int i = 1; i < members; ++i) {
    const int to = (member + i) % members, from = (member + members - i) % members;
    const auto [offset, count] = piece_of(to);
    if (count > 0) {
      for (const ShardRange& node : held_by(member))
        scatter.sends.push_back({to, {node.first - own_first, offset, count}});
      gather.receives.push_back({to, {0, offset, count}, false});
    }
    if (own_count == 0) continue;
    for (const ShardRange& node : held_by(from)) {
      const Piece at{Piece::kScratch, schedule.scratch, own_count};
      schedule.scratch += own_count;
      scatter.receives.push_back({from, at, false});
      held.push_back({node, at});
    }
    gather.sends.push_back({to, result});
  }
  if (own_count > 0) {
    const Piece sum = finish({0, shape.shards}, held, scatter.adds);
    // The last addition goes to the result; a single subtree that came is copied there.
    if (!scatter.adds.empty())
      scatter.adds.back().to = result;
    else if (sum.buffer != result.buffer)
      scatter.adds.push_back({result, sum, {}});
  }
  schedule.rounds.push_back(std::move(scatter));
  schedule.rounds.push_back(std::move(gather));
}

}  // namespace rt::net::sums
