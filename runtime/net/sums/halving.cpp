// Exchanges with neighbors at distance 1, 2, 4, ... A member has one subtree; after the exchange
// at distance d it has the sum over 2d subtrees, its own tree's node above. Additions of floats
// commute, so both partners get the same bits, each adding what came to what it has.
#include "runtime/net/sums/tree.h"
#include "runtime/net/sums/ways.h"

namespace rt::net::sums {

namespace {

void add_up(ShardRange node, int first, std::size_t count, std::vector<Add>& adds) {
  if (node.size() < 2) return;
  const int middle = split_of(node);
  add_up({node.first, middle}, first, count, adds);
  add_up({middle, node.last}, first, count, adds);
  const Piece left{node.first - first, 0, count};
  adds.push_back({left, left, {middle - first, 0, count}});
}

struct Bounds {
  std::size_t first, last;
  [[nodiscard]] std::size_t count() const { return last - first; }
};

void exchange(int peer, const Bounds& out, const Bounds& in, bool adds, Schedule& schedule) {
  Round round;
  round.gathers = !adds;
  if (out.count() > 0) round.sends.push_back({peer, {0, out.first, out.count()}});
  if (in.count() > 0) round.receives.push_back({peer, {0, in.first, in.count()}, adds});
  schedule.rounds.push_back(std::move(round));
}

}  // namespace

void add_own(const Shape& shape, int member, Schedule& schedule) {
  const ShardRange own = shards_of(member, shape.members, shape.shards);
  Round round;
  for (const ShardRange& node : subtrees_of(own, shape.shards))
    add_up(node, own.first, shape.count, round.adds);
  schedule.rounds.push_back(std::move(round));
}

void add_doubling(const Shape& shape, int member, Schedule& schedule) {
  const Piece own{0, 0, shape.count}, scratch{Piece::kScratch, 0, shape.count};
  for (int distance = 1; distance < shape.members; distance *= 2) {
    const int peer = member ^ distance;
    // What is sent must not change meanwhile, so what comes waits in the scratch.
    schedule.rounds.push_back({{{peer, own}}, {{peer, scratch}}, {{own, own, scratch}}, false});
    schedule.scratch = shape.count;
  }
}

void add_halving(const Shape& shape, int member, Schedule& schedule) {
  struct Halved {
    int peer;
    Bounds kept, given;
  };
  std::vector<Halved> halves;
  Bounds mine{0, shape.count};
  for (int distance = 1; distance < shape.members; distance *= 2) {
    const std::size_t middle = mine.first + (mine.count() + 1) / 2;
    const Bounds lower{mine.first, middle}, upper{middle, mine.last};
    const bool low = (member & distance) == 0;
    halves.push_back({member ^ distance, low ? lower : upper, low ? upper : lower});
    mine = halves.back().kept;
    exchange(halves.back().peer, halves.back().given, halves.back().kept, true, schedule);
  }
  for (; !halves.empty(); halves.pop_back())
    exchange(halves.back().peer, halves.back().kept, halves.back().given, false, schedule);
}

}  // namespace rt::net::sums
