// Sums have the bits of one process: for any number of members, whoever is quick.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "tests/runtime/net/sums/gang.h"

namespace {

using namespace rt::net::sums;
using sums_tests::bits_of;
using sums_tests::draw_shards;
using sums_tests::Gang;
using sums_tests::serial_sum;
using sums_tests::Vector;

std::vector<Way> tree_ways(int members, int shards) {
  std::vector<Way> ways;
  for (const Way::Kind kind : {Way::Kind::doubling, Way::Kind::halving, Way::Kind::subtrees})
    if (fits({.kind = kind}, {.members = members, .shards = shards}))
      ways.push_back({.kind = kind});
  return ways;
}

std::vector<Way> all_ways(int members) {
  std::vector<Way> ways = tree_ways(members, members);
  ways.push_back({Way::Kind::rings, {members}});
  for (int first = 2; first < members; ++first)
    if (members % first == 0) ways.push_back({Way::Kind::rings, {first, members / first}});
  if (members == 8) ways.push_back({Way::Kind::rings, {2, 2, 2}});
  return ways;
}

void expect_sum(Gang& gang, const Vector& expected, const std::string& what) {
  for (std::size_t i = 0; i < gang.size(); ++i)
    ASSERT_EQ(bits_of(gang[i].result()), bits_of(expected)) << what << ", member " << i;
}

TEST(SumsBits, AreThoseOfOneProcessForAnyNumberOfMembers) {
  for (const int shards : {1, 2, 3, 5, 8, 12, 16})
    for (int members = 1; members <= 9; ++members)
      for (const std::size_t count : {0, 1, 2, 3, 7, 64, 129, 1000}) {
        const auto drawn = draw_shards(shards, count, count);
        const Vector expected = serial_sum(drawn);
        for (const Way& way : tree_ways(members, shards)) {
          Gang gang(members, {.epoch = 3, .shards = shards, .way = way}, drawn);
          gang.begin(0, 0, count);
          const std::string what = name_of(way) + ", " + std::to_string(shards) + " shards, " +
                                   std::to_string(members) + " members, " + std::to_string(count);
          ASSERT_TRUE(gang.run()) << what;
          expect_sum(gang, expected, what);
        }
      }
}

TEST(SumsBits, AreTheSameInWhateverOrderMembersTakeTurns) {
  for (const int members : {4, 5, 8}) {
    const auto drawn = draw_shards(8, 37, 5);
    const Vector expected = serial_sum(drawn);
    for (const Way& way : tree_ways(members, 8)) {
      std::vector<std::size_t> order(static_cast<std::size_t>(members));
      std::iota(order.begin(), order.end(), std::size_t{0});
      int number = 0;
      do {
        if (members == 8 && ++number % 37 != 0) continue;  // of 40,320 orders
        Gang gang(members, {.shards = 8, .way = way}, drawn, 64);
        gang.begin(0, 0, 37);
        ASSERT_TRUE(gang.run(order));
        expect_sum(gang, expected, name_of(way));
      } while (std::next_permutation(order.begin(), order.end()));
    }
  }
}

TEST(SumsBits, ARankSumWouldHaveOtherBits) {
  // What the tests above would not see if all orders gave the same bits.
  const auto drawn = draw_shards(8, 1000, 7);
  Vector by_rank = drawn[0];
  for (std::size_t s = 1; s < 8; ++s)
    for (std::size_t i = 0; i < 1000; ++i) by_rank[i] += drawn[s][i];
  EXPECT_NE(bits_of(by_rank), bits_of(serial_sum(drawn)));
}

TEST(SumsBits, ExactSumsDependOnNoOrderOfShardsOrMembers) {
  for (const std::size_t count : {0, 1, 255, 256, 257, 1500}) {
    auto drawn = draw_shards(8, count, 11);
    std::vector<std::uint32_t> expected;
    for (int turn = 0; turn < 4; ++turn) {
      for (int members = 1; members <= 9; ++members)
        for (const Way& way : all_ways(members)) {
          Gang gang(members, {.shards = 8, .way = way, .exact = true}, drawn);
          gang.begin(0, 0, count);
          ASSERT_TRUE(gang.run());
          if (expected.empty()) expected = bits_of(gang[0].result());
          for (std::size_t i = 0; i < gang.size(); ++i)
            ASSERT_EQ(bits_of(gang[i].result()), expected) << name_of(way) << " " << members;
        }
      base::Stream dice(static_cast<std::uint64_t>(turn), "order");
      dice.shuffle(std::span(drawn));
    }
  }
}

TEST(SumsBits, BucketsOfASlabFollowOneAnother) {
  for (const bool exact : {false, true}) {
    const auto drawn = draw_shards(8, 1000, 13);
    const auto sum = [&](const std::vector<std::pair<std::size_t, std::size_t>>& buckets) {
      Gang gang(3, {.shards = 8, .way = {.kind = Way::Kind::subtrees}, .exact = exact}, drawn);
      std::uint32_t number = 0;
      for (const auto& [offset, count] : buckets) gang.begin(number++, offset, count);
      EXPECT_TRUE(gang.run());
      EXPECT_EQ(bits_of(gang[1].result()), bits_of(gang[0].result()));
      EXPECT_EQ(bits_of(gang[2].result()), bits_of(gang[0].result()));
      return gang[0].result();
    };
    // Blocks of the exact sum begin with the bucket, so the same cuts give the same bits.
    const Vector whole = sum({{0, 1000}});
    const Vector parts = sum({{512, 488}, {256, 256}, {0, 256}});
    EXPECT_EQ(bits_of(parts), bits_of(whole));
    if (!exact) {
      EXPECT_EQ(bits_of(whole), bits_of(serial_sum(drawn)));
    }
  }
}

TEST(SumsBits, ANumberThatIsNotFiniteIsNamedOnAllMembers) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    auto drawn = draw_shards(4, 600, 17);
    drawn[2][300] = bad;
    Gang gang(2,
              {.shards = 4,
               .way = {.kind = Way::Kind::halving},
               .exact = true,
               .tensors = {{"dense1.weights", 0, 256},
                           {"dense1.bias", 256, 200},
                           {"dense2.weights", 512, 88}}},
              drawn);
    gang.begin(0, 0, 600);
    std::vector<std::string> said(2);
    for (int turn = 0; turn < 100; ++turn)
      for (std::size_t i = 0; i < 2; ++i) {
        if (!said[i].empty()) continue;
        try {
          (void)gang[i].sums().advance();
        } catch (const base::Error& error) {
          EXPECT_EQ(error.kind(), base::Errc::data);
          said[i] = error.what();
        }
      }
    EXPECT_EQ(said[0], "the gradient of `dense1.bias` is not finite");
    EXPECT_EQ(said[1], said[0]);
  }
}

}  // namespace
