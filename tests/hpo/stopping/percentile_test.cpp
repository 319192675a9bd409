#include "hpo/stopping/percentile.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hpo {
namespace {

std::unique_ptr<StoppingRule> percentile(double of, std::int64_t startup) {
  return make_stopping_rule("percentile", {.max_step = 10,
                                           .options = {{"percentile", of},
                                                       {"startup", startup},
                                                       {"min", std::int64_t{1}},
                                                       {"every", std::int64_t{1}}}});
}

void complete_trial(StoppingRule& rule, std::initializer_list<double> losses) {
  std::uint64_t trial = 1000;
  for (const double loss : losses) {
    for (std::int64_t step = 1; step <= 10; ++step) (void)rule.reported(trial, step, loss);
    rule.ended(trial++, TrialState::complete);
  }
}

TEST(Percentile, LetsTheBestShareGoOn) {
  auto rule = percentile(25, 5);
  complete_trial(*rule, {1, 2, 3, 4, 5});
  EXPECT_EQ(rule->reported(0, 1, 2.0), Decision::go) << "the 25th percentile of five is the second";
  EXPECT_EQ(rule->reported(1, 1, 2.1), Decision::stop);
}

TEST(Percentile, LiesBetweenNeighbours) {
  auto rule = percentile(75, 4);
  complete_trial(*rule, {1, 2, 4, 8});
  EXPECT_EQ(rule->reported(0, 1, 5.0), Decision::go)
      << "place 2.25: a quarter of the way from 4 to 8";
  EXPECT_EQ(rule->reported(1, 1, 5.01), Decision::stop);
}

TEST(Percentile, AnInfiniteLossBehindThePlaceIsNotLookedAt) {
  auto rule = percentile(50, 3);
  complete_trial(*rule, {1, 2, INFINITY});
  EXPECT_EQ(rule->reported(0, 1, 2.0), Decision::go);
  EXPECT_EQ(rule->reported(1, 1, 2.1), Decision::stop);
}

TEST(Percentile, ItsEndsAreTheBestAndTheWorst) {
  auto best = percentile(0, 3), worst = percentile(100, 3);
  complete_trial(*best, {1, 2, 3});
  complete_trial(*worst, {1, 2, 3});
  EXPECT_EQ(best->reported(0, 1, 1), Decision::go);
  EXPECT_EQ(best->reported(1, 1, 1.1), Decision::stop);
  EXPECT_EQ(worst->reported(0, 1, 3), Decision::go);
  EXPECT_EQ(worst->reported(1, 1, 3.1), Decision::stop);
}

}  // namespace
}  // namespace hpo
