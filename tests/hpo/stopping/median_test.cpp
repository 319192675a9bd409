#include "hpo/stopping/median.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace hpo {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

std::unique_ptr<StoppingRule> median(std::int64_t startup, std::int64_t min = 1,
                                     std::int64_t every = 1, std::int64_t max = 10) {
  return make_stopping_rule("median",
                            {max, {{"startup", startup}, {"min", min}, {"every", every}}});
}

/// Trials that report the same at every step and end.
void complete(StoppingRule& rule, std::initializer_list<double> losses) {
  std::uint64_t trial = 1000;
  for (const double loss : losses) {
    for (std::int64_t step = 1; step <= 10; ++step) (void)rule.reported(trial, step, loss);
    rule.ended(trial++, TrialState::complete);
  }
}

TEST(Median, StopsWhatIsWorseThanHalfOfTheCompleteTrials) {
  auto rule = median(3);
  complete(*rule, {1, 2, 5});
  EXPECT_EQ(rule->reported(0, 1, 2.0), Decision::go) << "as good as the median";
  EXPECT_EQ(rule->reported(1, 1, 2.1), Decision::stop);
}

TEST(Median, OfAnEvenNumberLiesBetweenTheMiddleTwo) {
  auto rule = median(4);
  complete(*rule, {1, 2, 4, 9});
  EXPECT_EQ(rule->reported(0, 1, 3.0), Decision::go);
  EXPECT_EQ(rule->reported(1, 1, 3.01), Decision::stop);
}

TEST(Median, WaitsForItsFirstTrials) {
  auto rule = median(3);
  complete(*rule, {1, 1});
  EXPECT_EQ(rule->reported(0, 1, 9.0), Decision::go);
  rule->ended(0, TrialState::failed);
  EXPECT_EQ(rule->reported(1, 1, 9.0), Decision::go) << "a failed trial is none";
  complete(*rule, {1});
  EXPECT_EQ(rule->reported(2, 1, 9.0), Decision::stop);
}

TEST(Median, ComparesTheBestSoFarWithWhatOthersHadByThen) {
  auto rule = median(1);
  for (const auto& [step, loss] : {std::pair{1, 5.0}, {2, 3.0}, {4, 1.0}})
    (void)rule->reported(0, step, loss);
  rule->ended(0, TrialState::complete);
  EXPECT_EQ(rule->reported(1, 1, 4.0), Decision::go);
  EXPECT_EQ(rule->reported(1, 2, 2.5), Decision::go);
  EXPECT_EQ(rule->reported(1, 3, 9.0), Decision::go)
      << "2.5 was reached, the other had 3 by step 3";
  EXPECT_EQ(rule->reported(1, 4, 9.0), Decision::stop) << "the other has 1 now";
}

TEST(Median, StoppedTrialsAreNotCounted) {
  auto rule = median(1);
  complete(*rule, {5});
  EXPECT_EQ(rule->reported(0, 1, 6), Decision::stop);
  rule->ended(0, TrialState::stopped);
  EXPECT_EQ(rule->reported(1, 1, 5.5), Decision::stop) << "the median is still 5";
}

TEST(Median, DecidesFromMinOnEveryFewSteps) {
  auto rule = median(1, 3, 2);
  EXPECT_FALSE(rule->decides(0, 2));
  EXPECT_TRUE(rule->decides(2, 3));
  EXPECT_FALSE(rule->decides(3, 4));
  EXPECT_TRUE(rule->decides(4, 5));
  EXPECT_TRUE(rule->decides(3, 6)) << "5 was passed";
  EXPECT_FALSE(rule->decides(9, 10)) << "the end of a trial";
  complete(*rule, {1});
  EXPECT_EQ(rule->reported(0, 2, 9), Decision::go);
  EXPECT_EQ(rule->reported(0, 3, 9), Decision::stop);
}

TEST(Median, NotANumberIsWorst) {
  auto rule = median(1);
  complete(*rule, {1});
  EXPECT_EQ(rule->reported(0, 1, std::nan("")), Decision::stop);
  EXPECT_EQ(rule->reported(1, 1, 0.5), Decision::go);
  EXPECT_EQ(rule->reported(1, 2, std::nan("")), Decision::go) << "0.5 was reached";
  auto bad = median(1);
  complete(*bad, {std::nan(""), kInf, -kInf});
  EXPECT_EQ(bad->reported(0, 1, 1e300), Decision::go) << "the median is infinite";
}

}  // namespace
}  // namespace hpo
