#include "hpo/stopping/rungs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpo {
namespace {

using Steps = std::vector<std::int64_t>;

TEST(Rungs, ArePowersOfEtaBelowMax) {
  EXPECT_EQ(rungs_below(27, 1, 3), (Steps{1, 3, 9}));
  EXPECT_EQ(rungs_below(28, 1, 3), (Steps{1, 3, 9, 27}));
  EXPECT_EQ(rungs_below(100, 2, 4), (Steps{2, 8, 32}));
  EXPECT_EQ(rungs_below(5, 5, 3), (Steps{}));
  EXPECT_EQ(rungs_below(1, 1, 2), (Steps{}));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(rungs_below(most, 1, 2).size(), 63u) << "no overflow";
}

TEST(Looks, AreTheRungsAndStepsAQuarterApart) {
  EXPECT_EQ(looks_below(30, {3, 9, 27}), (Steps{3, 4, 5, 6, 7, 8, 9, 11, 13, 16, 20, 25, 27}));
  EXPECT_EQ(looks_below(5, {}), (Steps{}));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  const Steps looks = looks_below(most, rungs_below(most, 1, 2));
  EXPECT_TRUE(std::ranges::is_sorted(looks)) << "no overflow";
  EXPECT_LT(looks.back(), most);
}

TEST(Rungs, AreReachedOnce) {
  const Steps rungs{1, 3, 9};
  EXPECT_TRUE(reaches(rungs, 0, 1));
  EXPECT_FALSE(reaches(rungs, 1, 2));
  EXPECT_TRUE(reaches(rungs, 2, 100));
  EXPECT_FALSE(reaches(rungs, 9, 100));
}

TEST(Rung, CountsWhatIsStrictlyBetter) {
  Rung rung(1);
  for (std::uint64_t trial = 0; trial < 4; ++trial) rung.record(trial, 1);
  rung.record(4, 0.5);
  rung.record(5, std::nan(""));
  EXPECT_EQ(rung.size(), 6U);
  EXPECT_EQ(rung.better(0.5), 0U);
  EXPECT_EQ(rung.better(1), 1U);
  EXPECT_EQ(rung.better(std::nan("")), 5U) << "NaN is as bad as +infinity";
}

TEST(Rung, TheBestThatWaitsIsNamedWhileItIsAmongTheBest) {
  Rung rung(1);
  rung.record(0, 3);
  rung.record(1, 2);
  rung.record(2, 1);
  rung.wait(0, 3);
  rung.wait(1, 2);
  EXPECT_EQ(rung.first_waiting(), 1U);
  EXPECT_EQ(rung.first_waiting_of(1), std::nullopt) << "trial 2 is better and does not wait";
  EXPECT_EQ(rung.first_waiting_of(2), 1U);
  EXPECT_EQ(rung.waiting(), (std::vector<std::uint64_t>{1, 0}));
  rung.leave(1);
  rung.leave(9);
  EXPECT_EQ(rung.first_waiting(), 0U);
  rung.leave(0);
  EXPECT_FALSE(rung.anyone_waits());
}

}  // namespace
}  // namespace hpo
