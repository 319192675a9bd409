#include "runtime/net/sums/schedule.h"

#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "runtime/net/sums/tree.h"

namespace {

using namespace rt::net::sums;

constexpr std::size_t kCount = 1 << 16;

std::vector<Schedule> all(const Way& way, const Shape& shape) {
  std::vector<Schedule> made;
  for (int i = 0; i < shape.members; ++i) made.push_back(schedule_of(way, shape, i));
  return made;
}

TEST(ShardTree, SubtreesAreTheFewestThatCoverARange) {
  using Ranges = std::vector<ShardRange>;
  EXPECT_EQ(subtrees_of({0, 5}, 16), (Ranges{{0, 4}, {4, 5}}));
  EXPECT_EQ(subtrees_of({5, 10}, 16), (Ranges{{5, 6}, {6, 8}, {8, 10}}));
  EXPECT_EQ(subtrees_of({10, 16}, 16), (Ranges{{10, 12}, {12, 16}}));
  EXPECT_EQ(subtrees_of({4, 7}, 7), (Ranges{{4, 7}}));
  EXPECT_EQ(subtrees_of({2, 2}, 7), Ranges{});
  EXPECT_EQ(split_of({0, 7}), 4);
  EXPECT_EQ(split_of({4, 7}), 6);
}

TEST(ShardTree, MembersShareShardsOut) {
  EXPECT_EQ(shards_of(0, 3, 8), (ShardRange{0, 2}));
  EXPECT_EQ(shards_of(2, 3, 8), (ShardRange{5, 8}));
  EXPECT_EQ(shards_of(0, 3, 2), (ShardRange{0, 0}));
  EXPECT_TRUE(is_balanced(4, 8));
  EXPECT_FALSE(is_balanced(4, 12));
  EXPECT_FALSE(is_balanced(8, 4));
}

/// Bytes that the busiest member sends, over those of a ring.
double over_ring(int members, int shards) {
  std::size_t most = 0;
  for (const Schedule& one : all({.kind = Way::Kind::subtrees}, {members, shards, kCount}))
    most = std::max(most, bytes_sent(one));
  const double ring = 2.0 * (members - 1) / members * kCount * kElement;
  return static_cast<double>(most) / ring;
}

TEST(Schedule, SubtreesSendWhatTheyMust) {
  for (const int members : {2, 4, 8}) EXPECT_NEAR(over_ring(members, 8), 1.0, 1e-3);
  for (const int members : {3, 5}) EXPECT_NEAR(over_ring(members, 8), 1.5, 1e-3);
  EXPECT_NEAR(over_ring(3, 16), 2.0, 1e-3);
}

TEST(Schedule, HalvingSendsTheLeastAndMostOfItToNeighbors) {
  for (const Schedule& one : all({.kind = Way::Kind::halving}, {16, 16, kCount})) {
    EXPECT_EQ(bytes_sent(one), 2 * 15 * kCount * kElement / 16);
    EXPECT_EQ(one.rounds.size(), 8U);
    EXPECT_EQ(one.scratch, 0U);
    EXPECT_EQ(one.rounds.front().sends.front().from.count, kCount / 2);
  }
  EXPECT_EQ(bytes_sent(schedule_of({.kind = Way::Kind::halving}, {16, 16, kCount}, 5), 4),
            2 * kCount * kElement / 2);
}

/// Bytes that leave each node, of `size` members each.
std::map<int, std::size_t> uplinks(const Way& way, int members, int size, int scramble = 1) {
  std::map<int, std::size_t> bytes;
  const auto node_of = [&](int member) { return member * scramble % members / size; };
  const auto schedules = all(way, {members, members, kCount});
  for (int i = 0; i < members; ++i)
    for (const Round& round : schedules[static_cast<std::size_t>(i)].rounds)
      for (const Send& send : round.sends)
        if (node_of(send.peer) != node_of(i)) bytes[node_of(i)] += send.from.count * kElement;
  return bytes;
}

TEST(Schedule, BytesOnUplinksAreExact) {
  constexpr std::size_t kBytes = kCount * kElement;
  for (const auto& [node, bytes] : uplinks({Way::Kind::rings, {4, 16}}, 64, 4))
    EXPECT_EQ(bytes, 2 * 15 * kBytes / 16) << node;
  for (const auto& [node, bytes] : uplinks({Way::Kind::rings, {64}}, 64, 4))
    EXPECT_EQ(bytes, 2 * 63 * kBytes / 64) << node;
  for (const auto& [node, bytes] : uplinks({.kind = Way::Kind::halving}, 64, 4))
    EXPECT_EQ(bytes, 2 * 15 * kBytes / 16) << node;
  // A ring that does not follow the nodes leaves them with every message.
  for (const auto& [node, bytes] : uplinks({Way::Kind::rings, {64}}, 64, 4, 5))
    EXPECT_EQ(bytes, 4 * 2 * 63 * kBytes / 64) << node;
}

TEST(Schedule, MessagesMeet) {
  // What one sends, the other expects, in the same order.
  for (int members = 2; members <= 16; ++members)
    for (const Way& way : {Way{.kind = Way::Kind::doubling}, Way{.kind = Way::Kind::halving},
                           Way{.kind = Way::Kind::subtrees}, Way{Way::Kind::rings, {members}}}) {
      const Shape shape{members, way.kind == Way::Kind::subtrees ? 16 : members, 37};
      if (!fits(way, shape)) continue;
      std::map<std::pair<int, int>, std::vector<std::size_t>> sent, expected;
      for (int i = 0; i < members; ++i)
        for (const Round& round : schedule_of(way, shape, i).rounds) {
          for (const Send& one : round.sends) sent[{i, one.peer}].push_back(one.from.count);
          for (const Receive& one : round.receives) expected[{one.peer, i}].push_back(one.to.count);
        }
      EXPECT_EQ(sent, expected) << name_of(way) << " of " << members;
    }
}

TEST(Schedule, AWayThatDoesNotFitIsRefused) {
  EXPECT_FALSE(fits({.kind = Way::Kind::halving}, {3, 8, 1}));
  EXPECT_FALSE(fits({.kind = Way::Kind::halving}, {4, 12, 1}));
  EXPECT_FALSE(fits({Way::Kind::rings, {2, 3}}, {8, 8, 1}));
  EXPECT_FALSE(fits({Way::Kind::rings, {8}}, {8, 16, 1}));
  EXPECT_FALSE(fits({.kind = Way::Kind::subtrees}, {257, 257, 1}));
  EXPECT_THROW((void)schedule_of({.kind = Way::Kind::halving}, {3, 8, 1}, 0), base::Error);
  EXPECT_THROW((void)schedule_of({.kind = Way::Kind::halving}, {4, 8, 1}, 4), base::Error);
}

TEST(Schedule, WaysHaveNames) {
  EXPECT_EQ(name_of({.kind = Way::Kind::halving}), "halving");
  EXPECT_EQ(name_of({Way::Kind::rings, {64}}), "ring");
  EXPECT_EQ(name_of({Way::Kind::rings, {4, 16}}), "hierarchical 4x16");
  EXPECT_EQ(name_of({Way::Kind::rings, {4, 4, 4}}), "torus 4x4x4");
}

}  // namespace
