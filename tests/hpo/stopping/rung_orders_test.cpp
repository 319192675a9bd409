#include "hpo/stopping/rung_orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hpo/space/random.h"

namespace hpo {
namespace {

TEST(RungOrders, SaysNothingBeforeNineGotFarther) {
  RungOrders orders(2);
  for (std::uint64_t trial = 0; trial < 8; ++trial) {
    orders.record(trial, 0, static_cast<double>(trial));
    orders.record(trial, 1, -static_cast<double>(trial));
  }
  EXPECT_FALSE(orders.turned(0));
  orders.record(8, 0, 8);
  EXPECT_FALSE(orders.turned(0));
  orders.record(8, 1, -8);
  EXPECT_TRUE(orders.turned(0));
  EXPECT_FALSE(orders.turned(1)) << "nobody is farther";
}

TEST(RungOrders, TheFarthestPlaceCounts) {
  RungOrders orders(2);
  // Turned round at the second rung, as in the beginning at the end.
  for (std::uint64_t trial = 0; trial < 9; ++trial) {
    const auto loss = static_cast<double>(trial);
    orders.record(trial, 0, loss);
    orders.record(trial, 1, -loss);
    orders.record(trial, 2, loss);
    EXPECT_FALSE(orders.turned(0)) << trial;
  }
  EXPECT_TRUE(orders.turned(1));
}

TEST(RungOrders, MostPairsDecideAndEqualOnesDoNot) {
  RungOrders orders(1);
  for (std::uint64_t trial = 0; trial < 9; ++trial) {
    orders.record(trial, 0, 1);
    orders.record(trial, 1, static_cast<double>(trial));
  }
  EXPECT_FALSE(orders.turned(0)) << "all are equal at the rung";
  orders.record(9, 0, 0);
  orders.record(9, 1, 9);
  EXPECT_FALSE(orders.turned(0)) << "9 of 45 pairs are turned round, a deviation is 11.2";
  orders.record(10, 0, 0);
  orders.record(10, 1, 10);
  EXPECT_TRUE(orders.turned(0)) << "18 of 55, 12.8";
  for (std::uint64_t trial = 11; trial < 13; ++trial) {
    orders.record(trial, 0, 2);
    orders.record(trial, 1, 100);
  }
  EXPECT_FALSE(orders.turned(0)) << "18 pairs are turned round, 22 are kept";
}

TEST(RungOrders, ChanceTurnsFewRound) {
  int turned = 0;
  constexpr std::uint64_t kSeeds = 400;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    Stream random(seed, "chance");
    RungOrders orders(1);
    for (std::uint64_t trial = 0; trial < 30; ++trial) {
      orders.record(trial, 0, random.normal());
      orders.record(trial, 1, random.normal());
    }
    turned += orders.turned(0);
  }
  EXPECT_NEAR(turned, 0.16 * kSeeds, 25) << "one deviation of one side";
}

TEST(RungOrders, CostsTheSameHoweverManyThereAre) {
  RungOrders orders(4);
  Stream random(1, "many");
  for (std::uint64_t trial = 0; trial < 20'000; ++trial) {
    const double worth = random.uniform();
    for (std::size_t place = 0; place < 5; ++place) orders.record(trial, place, worth);
  }
  EXPECT_FALSE(orders.turned(0));
}

TEST(RungOrders, AChoiceAtEachRungTurnsNothingRound) {
  // Losses that go up together, of which only the best third of a rung is seen at the next one.
  int turned = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Stream random(seed, "orders");
    RungOrders orders(2);
    for (std::uint64_t trial = 0; trial < 2000; ++trial) {
      const double worth = random.normal();
      const double first = worth + random.normal(), second = worth + 0.3 * random.normal();
      orders.record(trial, 0, first);
      if (first > -0.6) continue;
      orders.record(trial, 1, second);
      if (second < -1.2) orders.record(trial, 2, worth);
    }
    turned += orders.turned(0) || orders.turned(1);
  }
  EXPECT_LE(turned, 1);
}

}  // namespace
}  // namespace hpo
