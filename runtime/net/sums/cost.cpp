#include "runtime/net/sums/cost.h"

#include <algorithm>
#include <functional>

#include "runtime/net/sums/tree.h"

namespace rt::net::sums {

namespace {

constexpr std::size_t kMostDimensions = 4;

using PeerOf = std::function<int(int member)>;

/// Returns the lowest level at which two members reach each other.
std::size_t level_between(const Fabric& fabric, int a, int b) {
  std::size_t level = 0;
  while (a / fabric.levels[level].size != b / fabric.levels[level].size) ++level;
  return level;
}

/// Returns the seconds of a round in which each member sends `bytes` to its peer.
double exchange_seconds(const Fabric& fabric, int members, double bytes, const PeerOf& peer_of) {
  const std::size_t levels = fabric.levels.size();
  // Messages that leave each group, by the level above the group's own.
  std::vector<std::vector<int>> leaving(levels);
  for (std::size_t level = 1; level < levels; ++level)
    leaving[level].resize(static_cast<std::size_t>(members / fabric.levels[level - 1].size) + 1);
  const auto over_uplinks = [&](int member, auto use) {
    const std::size_t top = level_between(fabric, member, peer_of(member));
    for (std::size_t level = 1; level <= top; ++level)
      use(level, leaving[level][static_cast<std::size_t>(member / fabric.levels[level - 1].size)]);
    return top;
  };
  for (int i = 0; i < members; ++i) (void)over_uplinks(i, [](std::size_t, int& count) { ++count; });
  double longest = 0;
  for (int i = 0; i < members; ++i) {
    double byte = 1 / fabric.levels.front().bandwidth;
    bool leaves = false;
    const std::size_t top = over_uplinks(i, [&](std::size_t level, int count) {
      const double shared = count / fabric.levels[level].bandwidth;
      byte = leaves ? std::max(byte, shared) : shared;
      leaves = true;
    });
    longest = std::max(longest, fabric.levels[top].latency + bytes * byte);
  }
  return longest;
}

double halving_seconds(const Way& way, const Shape& shape, const Fabric& fabric, double bytes) {
  const bool whole = way.kind == Way::Kind::doubling;
  double seconds = 0;
  for (int distance = 1; distance < shape.members; distance *= 2) {
    if (!whole) bytes /= 2;
    seconds += (whole ? 1 : 2) * exchange_seconds(fabric, shape.members, bytes,
                                                  [&](int member) { return member ^ distance; });
  }
  return seconds;
}

double rings_seconds(const Way& way, const Shape& shape, const Fabric& fabric, double bytes) {
  double seconds = 0;
  int stride = 1;
  for (const int size : way.dimensions) {
    bytes /= size;
    const auto next = [&](int member) {
      const int place = member / stride % size;
      return member + ((place + 1) % size - place) * stride;
    };
    if (size > 1) seconds += 2 * (size - 1) * exchange_seconds(fabric, shape.members, bytes, next);
    stride *= size;
  }
  return seconds;
}

/// Everybody sends to everybody twice: subtrees to the owners of pieces, then the pieces' sums.
double subtrees_seconds(const Shape& shape, const Fabric& fabric, double bytes) {
  const int members = shape.members;
  if (members == 1) return 0;
  std::vector<double> held;
  double all = 0;
  for (int i = 0; i < members; ++i) {
    held.push_back(
        static_cast<double>(subtrees_of(shards_of(i, members, shape.shards), shape.shards).size()));
    all += held.back();
  }
  const double piece = bytes / members;
  double scatter = 0, gather = 0;
  for (std::size_t level = 0; level < fabric.levels.size(); ++level) {
    const double byte = 1 / fabric.levels[level].bandwidth;
    // The links of this level belong to groups of `size` members. Those of the lowest level carry
    // what stays in the group above, the others what leaves theirs.
    const int size = level == 0 ? 1 : fabric.levels[level - 1].size;
    const int above = level == 0 ? fabric.levels[0].size : members;
    for (int first = 0; first < members; first += size) {
      const int last = std::min(members, first + size);
      const int begin = level == 0 ? first / above * above : 0;
      const int end = std::min(members, begin + above);
      double own = 0, near = 0;
      for (int i = begin; i < end; ++i) near += held[static_cast<std::size_t>(i)];
      for (int i = first; i < last; ++i) own += held[static_cast<std::size_t>(i)];
      const double others = end - begin - (last - first);
      const double out = own * others, in = (near - own) * (last - first);
      scatter = std::max(scatter, std::max(out, in) * piece * byte);
      gather = std::max(gather, others * (last - first) * piece * byte);
    }
  }
  return 2 * fabric.levels.back().latency + scatter + gather;
}

void add_factors(int rest, std::vector<int>& dimensions, std::vector<Way>& ways) {
  if (rest == 1) ways.push_back({Way::Kind::rings, dimensions});
  if (rest == 1 || dimensions.size() == kMostDimensions) return;
  for (int size = rest; size >= 2; --size) {
    if (rest % size != 0) continue;
    dimensions.push_back(size);
    add_factors(rest / size, dimensions, ways);
    dimensions.pop_back();
  }
}

}  // namespace

double seconds_of(const Way& way, const Shape& shape, const Fabric& fabric) {
  const double bytes = static_cast<double>(shape.count * kElement);
  if (shape.count == 0) return 0;
  switch (way.kind) {
    case Way::Kind::doubling:
    case Way::Kind::halving:
      return halving_seconds(way, shape, fabric, bytes);
    case Way::Kind::subtrees:
      return subtrees_seconds(shape, fabric, bytes);
    case Way::Kind::rings:
      return rings_seconds(way, shape, fabric, bytes);
  }
  return 0;
}

std::vector<Way> ways_for(const Shape& shape, bool exact) {
  std::vector<Way> ways;
  for (const Way::Kind kind : {Way::Kind::halving, Way::Kind::doubling, Way::Kind::subtrees})
    if (fits({.kind = kind}, shape)) ways.push_back({.kind = kind});
  if (exact && shape.shards == shape.members) {
    std::vector<int> dimensions;
    add_factors(shape.members, dimensions, ways);
  }
  return ways;
}

Way cheapest(const std::vector<Way>& ways, const Shape& shape, const Fabric& fabric) {
  return *std::min_element(ways.begin(), ways.end(), [&](const Way& a, const Way& b) {
    return seconds_of(a, shape, fabric) < seconds_of(b, shape, fabric);
  });
}

}  // namespace rt::net::sums
