// Closed forms against SimGrid, on up to 256 members.
#include <gtest/gtest.h>

#include <cmath>

#include "base/text.h"
#include "tests/runtime/net/sums/simulated.h"

namespace {

using namespace rt::net::sums;
using sums_tests::simulated_seconds;

constexpr std::size_t kKiB = 256;  ///< elements

Fabric nodes_of_4(int nodes) { return {{{4, 2e-6, 50e9}, {4 * nodes, 12e-6, 12.5e9}}}; }

void expect_closed_form(const Way& way, const Shape& shape, const Fabric& fabric) {
  const double simulated = simulated_seconds(way, shape, fabric);
  const double closed = seconds_of(way, shape, fabric);
  EXPECT_NEAR(closed / simulated, 1, .05)
      << name_of(way) << " of " << shape.members << ", " << shape.count << " numbers: SimGrid "
      << simulated * 1e6 << " us, closed form " << closed * 1e6 << " us";
}

TEST(Simulated, SixtyFourMembersTakeWhatTheClosedFormsSay) {
  for (const std::size_t kib : {64, 1024, 16384})
    for (const Way& way : {Way{Way::Kind::rings, {64}}, Way{Way::Kind::rings, {4, 16}},
                           Way{Way::Kind::rings, {4, 4, 4}}, Way{.kind = Way::Kind::halving},
                           Way{.kind = Way::Kind::doubling}, Way{.kind = Way::Kind::subtrees}})
      expect_closed_form(way, {64, 64, kib * kKiB}, nodes_of_4(16));
}

TEST(Simulated, SubtreesOfUnequalMembersDoToo) {
  const Fabric flat{{{48, 5e-6, 1e9}}};
  for (const std::size_t kib : {64, 4096})
    expect_closed_form({.kind = Way::Kind::subtrees}, {48, 64, kib * kKiB}, flat);
}

TEST(Simulated, TwoHundredAndFiftySixMembersDoToo) {
  for (const Way& way : {Way{Way::Kind::rings, {256}}, Way{Way::Kind::rings, {4, 64}},
                         Way{Way::Kind::rings, {4, 8, 8}}, Way{.kind = Way::Kind::halving}})
    expect_closed_form(way, {256, 256, 4096 * kKiB}, nodes_of_4(64));
  // So many messages leave one after the other (simulated.cpp), and the vector is long enough that
  // their latencies do not count.
  expect_closed_form({.kind = Way::Kind::subtrees}, {256, 256, 262144 * kKiB}, nodes_of_4(64));
}

TEST(Simulated, HierarchyBeatsTheFlatRing) {
  const auto gain = [](std::size_t kib) {
    const Shape shape{64, 64, kib * kKiB};
    const Fabric fabric = nodes_of_4(16);
    return simulated_seconds({Way::Kind::rings, {64}}, shape, fabric) /
           simulated_seconds({Way::Kind::rings, {4, 16}}, shape, fabric);
  };
  EXPECT_GE(gain(64), 3.8);
  EXPECT_GE(gain(1024), 2.9);
  EXPECT_GE(gain(16384), 1.2);
}

TEST(Simulated, TheCheapestWayIsTheQuickest) {
  const Fabric fabrics[] = {
      {{{16, 30e-6, 1.25e8}}},                                 // one switch, 1 Gbit/s
      {{{16, 1.5e-6, 12.5e9}}},                                // one switch, 100 Gbit/s
      {{{4, 1e-6, 20e9}, {16, 20e-6, 1.25e9}}},                // four nodes of 4
      {{{2, 1e-6, 20e9}, {8, 5e-6, 5e9}, {16, 50e-6, .6e9}}},  // nodes of 2 in two racks
  };
  int right = 0;
  std::string wrong;
  for (const Fabric& fabric : fabrics)
    for (const std::size_t count : {1UL, 16 * kKiB, 512 * kKiB, 16384 * kKiB}) {
      const Shape shape{16, 16, count};
      const std::vector<Way> ways = ways_for(shape, true);
      double best = INFINITY;
      for (const Way& way : ways) best = std::min(best, simulated_seconds(way, shape, fabric));
      const Way chosen = cheapest(ways, shape, fabric);
      const double taken = simulated_seconds(chosen, shape, fabric);
      // Ways that differ by rounding alone are equally quick.
      if (taken <= best * (1 + 1e-6))
        ++right;
      else
        wrong += base::cat(name_of(chosen), " takes ", taken / best, " of the best for ", count,
                           " numbers; ");
    }
  EXPECT_GE(right, 15) << wrong;
}

}  // namespace
