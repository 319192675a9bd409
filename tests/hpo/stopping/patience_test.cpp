#include "hpo/stopping/patience.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hpo {
namespace {

std::unique_ptr<StoppingRule> patience(std::int64_t wait, double min_delta = 0) {
  return make_stopping_rule("patience", {20, {{"wait", wait}, {"min_delta", min_delta}}});
}

/// The step at which a trial with these losses at steps 1, 2, 3... is stopped; 0: it is not.
std::int64_t stopped_at(StoppingRule& rule, std::initializer_list<double> losses) {
  std::int64_t step = 0;
  for (const double loss : losses) {
    if (rule.reported(0, ++step, loss) == Decision::stop) return step;
  }
  return 0;
}

TEST(Patience, StopsAfterTheWait) {
  EXPECT_EQ(stopped_at(*patience(3), {5, 4, 4, 4, 4, 4}), 5) << "three behind the second";
  EXPECT_EQ(stopped_at(*patience(3), {5, 4, 6, 6, 3.9, 6, 6}), 0);
  EXPECT_EQ(stopped_at(*patience(1), {5, 5}), 2);
}

TEST(Patience, LittleStepsDoNotCount) {
  EXPECT_EQ(stopped_at(*patience(2, 0.5), {5, 4.6, 4.5, 4.4}), 3)
      << "4.5 is not more than 0.5 better";
  EXPECT_EQ(stopped_at(*patience(2, 0.5), {5, 4.6, 4.4, 4.3, 3.8}), 0) << "they add up";
}

TEST(Patience, WhatIsNoNumberNeverCounts) {
  const double nan = std::nan("");
  EXPECT_EQ(stopped_at(*patience(3), {nan, nan, nan}), 3);
  EXPECT_EQ(stopped_at(*patience(3), {nan, nan, 7, nan, nan, nan}), 6);
  EXPECT_EQ(stopped_at(*patience(2), {std::numeric_limits<double>::infinity(), 1e300, 1, 2}), 0);
}

TEST(Patience, TrialsDoNotShareIt) {
  auto rule = patience(2);
  EXPECT_EQ(rule->reported(0, 1, 1), Decision::go);
  EXPECT_EQ(rule->reported(1, 1, 9), Decision::go);
  EXPECT_EQ(rule->reported(1, 2, 8), Decision::go) << "worse than the other, better than before";
  rule->ended(0, TrialState::failed);
  EXPECT_EQ(rule->reported(0, 1, 5), Decision::go) << "a number that was forgotten";
}

TEST(Patience, CountsInTheUnitOfTheReports) {
  auto rule = make_stopping_rule("patience", {std::numeric_limits<std::int64_t>::max(),
                                              {{"wait", std::int64_t{1000}}, {"min_delta", 0.0}}});
  EXPECT_EQ(rule->reported(0, 700, 5), Decision::go);
  EXPECT_EQ(rule->reported(0, 1400, 5), Decision::go);
  EXPECT_EQ(rule->reported(0, 2100, 5), Decision::stop);
}

}  // namespace
}  // namespace hpo
