#include "runtime/net/sums/cost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "runtime/net/sums/tree.h"

namespace {

using namespace rt::net::sums;

/// 16 nodes of 4 members, in seconds and bytes a second.
const Fabric kNodes{{{4, 2e-6, 50e9}, {64, 12e-6, 12.5e9}}};

TEST(Cost, TheFlatRingHasItsClosedForm) {
  for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20}) {
    const double n = static_cast<double>(bytes);
    EXPECT_NEAR(seconds_of({Way::Kind::rings, {64}}, {64, 64, bytes / 4}, kNodes),
                2 * 63 * (12e-6 + n / 64 / 12.5e9), 1e-12);
  }
}

TEST(Cost, TheHierarchicalSumHasItsClosedForm) {
  const double n = 16 << 20;
  EXPECT_NEAR(seconds_of({Way::Kind::rings, {4, 16}}, {64, 64, (16 << 20) / 4}, kNodes),
              2 * (3 * (2e-6 + n / 4 / 50e9) + 15 * (12e-6 + 4 * n / 64 / 12.5e9)), 1e-12);
}

TEST(Cost, HierarchyIsWorthMostWhereLatencyCounts) {
  // 16 nodes of 4, at 64 KiB, 1 MiB and 16 MiB.
  const auto gain = [](std::size_t kib) {
    const Shape shape{64, 64, kib * 256};
    return seconds_of({Way::Kind::rings, {64}}, shape, kNodes) /
           seconds_of({Way::Kind::rings, {4, 16}}, shape, kNodes);
  };
  EXPECT_NEAR(gain(64), 3.96, 0.01);
  EXPECT_NEAR(gain(1024), 2.99, 0.01);
  EXPECT_NEAR(gain(16384), 1.22, 0.01);
}

TEST(Cost, HalvingHasItsClosedForm) {
  const double n = 1 << 20;
  const Fabric flat{{{8, 5e-6, 1e9}}};
  EXPECT_NEAR(seconds_of({.kind = Way::Kind::halving}, {8, 16, (1 << 20) / 4}, flat),
              2 * (3 * 5e-6 + n * 7 / 8 / 1e9), 1e-12);
  EXPECT_NEAR(seconds_of({.kind = Way::Kind::doubling}, {8, 16, (1 << 20) / 4}, flat),
              3 * (5e-6 + n / 1e9), 1e-12);
}

TEST(Cost, SubtreesCostTheBytesOfTheBusiestMember) {
  const double n = 3 << 20;
  const Fabric flat{{{3, 5e-6, 1e9}}};
  // The middle one of 3 members of 16 shards has 3 subtrees.
  EXPECT_NEAR(seconds_of({.kind = Way::Kind::subtrees}, {3, 16, (3 << 20) / 4}, flat),
              2 * 5e-6 + (3 + 1) * n * 2 / 3 / 1e9, 1e-12);
}

TEST(Cost, WaysAreThoseThatFit) {
  const auto names = [](const Shape& shape, bool exact) {
    std::string text;
    for (const Way& way : ways_for(shape, exact)) {
      EXPECT_TRUE(fits(way, shape));
      text += name_of(way) + ", ";
    }
    return text;
  };
  EXPECT_EQ(names({4, 8, 1}, false), "halving, doubling, subtrees, ");
  EXPECT_EQ(names({3, 8, 1}, false), "subtrees, ");
  EXPECT_EQ(names({4, 4, 1}, true), "halving, doubling, subtrees, ring, hierarchical 2x2, ");
  EXPECT_EQ(names({6, 6, 1}, true), "subtrees, ring, hierarchical 3x2, hierarchical 2x3, ");
}

TEST(Cost, LatencyDecidesForShortVectorsAndBytesForLongOnes) {
  const Fabric flat{{{8, 50e-6, 1.25e8}}};
  const auto best = [&](std::size_t count) {
    const Shape shape{8, 8, count};
    return name_of(cheapest(ways_for(shape, false), shape, flat));
  };
  EXPECT_EQ(best(1), "subtrees");
  EXPECT_NE(best(1 << 20), "doubling");
}

}  // namespace
