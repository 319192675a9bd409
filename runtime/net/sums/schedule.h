// Who sends which part of a vector to whom, and what is added when: the schedule of one sum over
// the members of a gang. A schedule is a pure function of its arguments; it has no clock and no
// links. The executor (exchange.h), the cost model (cost.h) and the simulation of the tests read
// the same schedules.
//
// Sums of floats have the bits of the tree over the shards (tree.h), whatever the number of
// members. Three ways give them:
//   doubling   each round exchanges the whole vector with a neighbor at distance 1, 2, 4, ...:
//              log2(members) rounds, for vectors that are all latency
//   halving    each round exchanges half of what is left with such a neighbor, and the way back
//              gathers the sums (Rabenseifner, "Optimization of collective reduction operations",
//              2004, with distances growing instead of shrinking). The rounds with most bytes stay
//              between neighbors
//   subtrees   each member sends whole subtrees of the tree, cut into pieces; the owner of a piece
//              finishes the tree. For any number of members
// The first two need is_balanced(). A fourth way adds in another order, so it is for integers:
//   rings      reduce-scatter along rings, one dimension after the other, and all-gather back
//              (Cho et al., "BlueConnect", MLSys 2019). One dimension is the flat ring, two are the
//              hierarchical scheme, more are a torus
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rt::net::sums {

constexpr int kMostMembers = 256;
constexpr std::size_t kElement = 4;  ///< bytes of an element: float or 32-bit integer

struct Way {
  enum class Kind : std::uint8_t { doubling, halving, subtrees, rings };
  Kind kind = Kind::subtrees;
  /// Of rings: members along each dimension; the product is the number of members. The first
  /// dimension joins consecutive members.
  std::vector<int> dimensions{};
  bool operator==(const Way&) const = default;
};

/// Returns "halving", "ring", "hierarchical 4x16", "torus 4x4x4".
[[nodiscard]] std::string name_of(const Way& way);

/// What is summed. Each member has a buffer of `count` elements for each of its shards
/// (shards_of()), and one if it has none.
struct Shape {
  int members = 1;
  int shards = 1;
  std::size_t count = 0;
};

/// A part of one of a member's buffers: of the shards' in order, or of the scratch.
struct Piece {
  static constexpr int kScratch = -1;
  int buffer = 0;
  std::size_t offset = 0, count = 0;  ///< elements
};

struct Send {
  int peer = 0;
  Piece from;
};
struct Receive {
  int peer = 0;
  Piece to;
  bool adds = false;  ///< to what is there; else it replaces that
};
/// to = left + right, or to = left if `right` is empty. `to` may be one of the two.
struct Add {
  Piece to, left, right;
};

/// Messages of a round may be sent and received in any order, except that those between two members
/// keep their order. The additions follow when all have arrived and left.
struct Round {
  std::vector<Send> sends;
  std::vector<Receive> receives;
  std::vector<Add> adds;
  /// True from the round on that gathers sums: each element's sum is then with one member at least.
  bool gathers = false;
};

/// What one member does. Afterwards its buffer 0 holds the sum, and the others anything.
struct Schedule {
  std::vector<Round> rounds;
  std::size_t scratch = 0;  ///< elements
};

/// Returns true if the way gives the shape's sum. Rings need one shard a member, and give the bits
/// of the tree only if the order of additions does not matter.
[[nodiscard]] bool fits(const Way& way, const Shape& shape);

/// Returns the schedule of a member. Throws base::Error (internal) unless fits().
[[nodiscard]] Schedule schedule_of(const Way& way, const Shape& shape, int member);

/// Returns a schedule of the rounds that gather sums, or of those before them. Between the two,
/// sums of other parts may run.
[[nodiscard]] Schedule half_of(const Schedule& schedule, bool gathers);

/// Returns the bytes that a member's schedule sends to `peer`, or to all for -1.
[[nodiscard]] std::size_t bytes_sent(const Schedule& schedule, int peer = -1);

}  // namespace rt::net::sums
