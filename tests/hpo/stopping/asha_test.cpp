#include "hpo/stopping/asha.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hpo/space/random.h"

namespace hpo {
namespace {

std::unique_ptr<StoppingRule> promotion(std::int64_t min, std::int64_t max, std::int64_t eta) {
  return make_stopping_rule("asha", {max, {{"min", min}, {"eta", eta}, {"promote", true}}});
}

std::unique_ptr<StoppingRule> asha(std::int64_t min, std::int64_t max, std::int64_t eta) {
  return make_stopping_rule("asha", {max, {{"min", min}, {"eta", eta}}});
}

TEST(Asha, DecidesAtRungsOnly) {
  auto rule = asha(1, 27, 3);
  EXPECT_TRUE(rule->decides(0, 1));
  EXPECT_FALSE(rule->decides(1, 2));
  EXPECT_TRUE(rule->decides(2, 3));
  EXPECT_TRUE(rule->decides(2, 5)) << "a rung that is passed counts as reached";
  EXPECT_FALSE(rule->decides(9, 26));
  EXPECT_FALSE(rule->decides(26, 27)) << "max is no rung";
}

TEST(Asha, KeepsTheBestThirdOfWhatTheRungHasSeen) {
  auto rule = asha(1, 9, 3);
  // losses as they come      5   4   6   3   7   8   2   2.5  9
  const double losses[] = {5, 4, 6, 3, 7, 8, 2, 2.5, 9};
  // allowed max(1, n / 3)    1   1   1   1   1   2   2   2    3
  const Decision expected[] = {Decision::go, Decision::go,   Decision::stop,
                               Decision::go, Decision::stop, Decision::stop,
                               Decision::go, Decision::go,   Decision::stop};
  for (std::uint64_t i = 0; i < 9; ++i)
    EXPECT_EQ(rule->reported(i, 1, losses[i]), expected[i]) << i;
}

TEST(Asha, EqualLossesStayTogether) {
  auto rule = asha(1, 9, 3);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(rule->reported(i, 1, 0.5), Decision::go) << i;
  EXPECT_EQ(rule->reported(5, 1, 0.6), Decision::stop);
}

TEST(Asha, RungsAreIndependent) {
  auto rule = asha(1, 27, 3);
  EXPECT_EQ(rule->reported(0, 1, 1.0), Decision::go);
  EXPECT_EQ(rule->reported(1, 1, 0.5), Decision::go);
  EXPECT_EQ(rule->reported(0, 3, 0.9), Decision::go);
  EXPECT_EQ(rule->reported(1, 3, 0.95), Decision::stop);
}

TEST(Asha, NotANumberIsWorstAndCounts) {
  double nan = std::nan("");
  auto rule = asha(1, 9, 3);
  EXPECT_EQ(rule->reported(0, 1, nan), Decision::stop) << "even the first";
  EXPECT_EQ(rule->reported(1, 1, std::numeric_limits<double>::infinity()), Decision::stop);
  EXPECT_EQ(rule->reported(2, 1, 1e300), Decision::go);
  for (std::uint64_t i = 3; i < 5; ++i) EXPECT_EQ(rule->reported(i, 1, nan), Decision::stop);
  // Six losses: two may stay.
  EXPECT_EQ(rule->reported(5, 1, 1e301), Decision::go);
}

TEST(Asha, AReportPastSeveralRungsIsJudgedAtEach) {
  auto rule = asha(1, 27, 3);
  EXPECT_EQ(rule->reported(0, 1, 0.5), Decision::go);
  EXPECT_EQ(rule->reported(0, 3, 0.4), Decision::go);
  EXPECT_EQ(rule->reported(1, 4, 0.45), Decision::stop) << "best at 1, second at 3";
  EXPECT_EQ(rule->reported(2, 1, 0.44), Decision::go) << "0.45 was recorded at rung 1";
}

TEST(Asha, LeavesAboutAThirdAtEachRungOfARandomSearch) {
  // The counts of a whole search: at 1 every trial, then a little more than a third from rung to
  // rung.
  auto rule = asha(1, 27, 3);
  Stream random(11, "losses");
  std::int64_t reached[3] = {0, 0, 0};
  for (std::uint64_t trial = 0; trial < 900; ++trial) {
    double loss = random.uniform();
    const std::int64_t steps[] = {1, 3, 9};
    for (int i = 0; i < 3; ++i) {
      ++reached[i];
      if (rule->reported(trial, steps[i], loss) == Decision::stop) break;
    }
  }
  EXPECT_EQ(reached[0], 900);
  EXPECT_NEAR(static_cast<double>(reached[1]), 300, 25);
  EXPECT_NEAR(static_cast<double>(reached[2]), 110, 30);
}

TEST(Promotion, GoesOnWithTheBestThirdOfWhatTheRungHasSeen) {
  auto rule = promotion(1, 9, 3);
  EXPECT_EQ(rule->reported(0, 1, 5), Decision::pause);
  EXPECT_EQ(rule->reported(1, 1, 4), Decision::pause);
  EXPECT_EQ(rule->promotes(false), std::nullopt) << "two are less than eta";
  EXPECT_EQ(rule->reported(2, 1, 6), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 1U) << "the best of three, not the last";
  rule->resumed(1);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
  EXPECT_EQ(rule->reported(3, 1, 3), Decision::go) << "one of four, and it is that one now";
  EXPECT_EQ(rule->reported(4, 1, 3.5), Decision::pause);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
}

TEST(Promotion, TheNextOneGoesOnWithoutAPause) {
  auto rule = promotion(1, 9, 3);
  (void)rule->reported(0, 1, 5);
  (void)rule->reported(1, 1, 4);
  EXPECT_EQ(rule->reported(2, 1, 3), Decision::go);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
}

TEST(Promotion, LaterLossesLetEarlierTrialsGoOn) {
  auto rule = promotion(1, 9, 3);
  for (std::uint64_t trial = 0; trial < 5; ++trial)
    (void)rule->reported(trial, 1, 1 + static_cast<double>(trial));
  EXPECT_EQ(rule->promotes(false), 0U);
  rule->resumed(0);
  EXPECT_EQ(rule->promotes(false), std::nullopt) << "one of five";
  EXPECT_EQ(rule->reported(5, 1, 9), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 1U) << "two of six: it waited for that";
}

TEST(Promotion, TheHighestRungIsServedFirst) {
  auto rule = promotion(1, 27, 3);
  for (std::uint64_t trial = 0; trial < 9; ++trial)
    (void)rule->reported(trial, 1, 9 - static_cast<double>(trial));
  std::vector<std::uint64_t> gone{2, 5, 8};  // each was the best of its first 3, 6, 9
  for (const auto trial : {7U, 6U}) EXPECT_NE(rule->promotes(false), trial);
  EXPECT_EQ(rule->reported(2, 3, 2), Decision::pause);
  EXPECT_EQ(rule->reported(5, 3, 1), Decision::pause);
  (void)rule->reported(9, 1, 8.5);
  EXPECT_EQ(rule->reported(8, 3, 3), Decision::pause) << "not the best of three";
  EXPECT_EQ(rule->promotes(false), 5U);
}

TEST(Promotion, EqualLossesGoOnInTheOrderOfTheirNumbers) {
  auto rule = promotion(1, 9, 3);
  (void)rule->reported(4, 1, 1);
  (void)rule->reported(2, 1, 1);
  EXPECT_EQ(rule->reported(7, 1, 1), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 2U);
}

TEST(Promotion, WhatIsNoNumberNeverGoesOnAndCounts) {
  auto rule = promotion(1, 9, 3);
  EXPECT_EQ(rule->reported(0, 1, std::nan("")), Decision::stop);
  EXPECT_EQ(rule->reported(1, 1, std::numeric_limits<double>::infinity()), Decision::stop);
  EXPECT_EQ(rule->reported(2, 1, 1e300), Decision::go) << "the best of three";
}

TEST(Promotion, AReportPastSeveralRungsCountsAtEachAndWaitsAtTheHighest) {
  auto rule = promotion(1, 27, 3);
  (void)rule->reported(0, 1, 1);
  (void)rule->reported(1, 1, 2);
  EXPECT_EQ(rule->reported(2, 4, 3), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 0U) << "three were at rung 1";
  rule->resumed(0);
  EXPECT_EQ(rule->promotes(true), 2U) << "it waits at rung 3";
}

TEST(Promotion, AFailedTrialIsNotPromoted) {
  auto rule = promotion(1, 9, 3);
  for (std::uint64_t trial = 0; trial < 3; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  EXPECT_EQ(rule->promotes(false), 0U);
  rule->ended(0, TrialState::failed);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
}

TEST(Promotion, TheEndIsOneCompleteTrialWhereNoneWas) {
  auto rule = promotion(1, 9, 3);
  (void)rule->reported(0, 1, 2);
  (void)rule->reported(1, 1, 1);
  EXPECT_EQ(rule->promotes(true), 1U);
  rule->resumed(1);
  EXPECT_EQ(rule->reported(1, 3, 1), Decision::pause);
  EXPECT_EQ(rule->promotes(true), 1U);
  rule->resumed(1);
  EXPECT_EQ(rule->reported(1, 9, 1), Decision::go);
  rule->ended(1, TrialState::complete);
  EXPECT_EQ(rule->promotes(true), std::nullopt);
}

}  // namespace
}  // namespace hpo
