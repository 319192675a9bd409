// What a sum takes on a network of latencies and bandwidths, in closed form, and which way takes
// the least.
//
// A message of n bytes takes a + n c b: latency, and time for a byte on the slowest link that it
// passes, which c messages share. A way takes the sum over its rounds. With dimensions d1..dk,
// rings take 2 sum_i (d_i - 1) (a_i + n / (d_1 .. d_i) c_i b_i); the flat ring over p members takes
// 2 (p - 1) (a + n/p b). Halving takes 2 sum_r (a_r + n / 2^(r+1) c_r b_r). Additions cost nothing.
#pragma once

#include <vector>

#include "runtime/net/sums/schedule.h"

namespace rt::net::sums {

/// Links of one level of a network.
struct Level {
  int size = 1;          ///< consecutive members that reach each other without a higher level
  double latency = 0;    ///< seconds until the first byte of a message between them comes
  double bandwidth = 0;  ///< bytes a second in each direction; see Fabric
};

/// A network with full duplex links. At the lowest level each member has a link of its own for
/// messages that stay in its group. At a higher level, each group of the level below has one link,
/// which all messages share that leave or enter the group: a node with its uplink. The last level
/// has all members, and each size divides the next one.
struct Fabric {
  std::vector<Level> levels;
};

/// Returns the seconds of a sum. The way fits the shape, and the fabric has the shape's members.
[[nodiscard]] double seconds_of(const Way& way, const Shape& shape, const Fabric& fabric);

/// Returns all ways that give the sum: those of the tree, and for exact sums (of one shard a
/// member) rings of up to four dimensions.
[[nodiscard]] std::vector<Way> ways_for(const Shape& shape, bool exact);

/// Returns the way that takes the least seconds, the first one of equal ones.
[[nodiscard]] Way cheapest(const std::vector<Way>& ways, const Shape& shape, const Fabric& fabric);

}  // namespace rt::net::sums
