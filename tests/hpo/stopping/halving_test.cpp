#include "hpo/stopping/halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hpo {
namespace {

using Trials = std::vector<std::uint64_t>;

std::unique_ptr<StoppingRule> halving(std::int64_t trials, std::int64_t max = 27) {
  return make_stopping_rule(
      "successive_halving",
      {.max_step = max,
       .options = {{"min", std::int64_t{1}}, {"eta", std::int64_t{3}}, {"trials", trials}}});
}

/// Lets everybody go on whom the rule names.
Trials resume_all(StoppingRule& rule, bool last = false) {
  Trials trials;
  while (const auto trial = rule.promotes(last)) {
    rule.resumed(*trial);
    trials.push_back(*trial);
    last = false;
  }
  std::ranges::sort(trials);
  return trials;
}

TEST(Halving, AllWaitUntilTheGroupIsThere) {
  auto rule = halving(3);
  EXPECT_EQ(rule->reported(0, 1, 1), Decision::pause) << "the best, and nobody knows yet";
  EXPECT_EQ(rule->reported(1, 1, 2), Decision::pause);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
  EXPECT_EQ(rule->reported(2, 1, 3), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 0U);
  EXPECT_EQ(rule->gives_up(), (Trials{1, 2}));
}

TEST(Halving, TheLastOneGoesOnAtOnceWhereItIsBest) {
  auto rule = halving(3);
  (void)rule->reported(0, 1, 2);
  (void)rule->reported(1, 1, 3);
  EXPECT_EQ(rule->reported(2, 1, 1), Decision::go);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
}

/// 27 at 1 epoch, 9 at 3, 3 at 9, 1 at 27.
TEST(Halving, CountsAreThoseOfThePaper) {
  auto rule = halving(27);
  std::map<std::int64_t, int> there;
  Trials runs;
  for (std::uint64_t trial = 0; trial < 27; ++trial) runs.push_back(trial);
  for (std::int64_t step = 1; step <= 27; step *= 3) {
    Trials next;
    for (const std::uint64_t trial : runs) {
      ++there[step];
      const auto loss = static_cast<double>((trial * 7) % 27);
      if (rule->reported(trial, step, loss) == Decision::go) next.push_back(trial);
    }
    for (const std::uint64_t trial : rule->gives_up()) rule->ended(trial, TrialState::stopped);
    for (const std::uint64_t trial : resume_all(*rule)) next.push_back(trial);
    runs = next;
  }
  EXPECT_EQ(there, (std::map<std::int64_t, int>{{1, 27}, {3, 9}, {9, 3}, {27, 1}}));
}

TEST(Halving, WhoEndsIsNotWaitedFor) {
  auto rule = halving(4);
  (void)rule->reported(0, 1, 1);
  EXPECT_EQ(rule->reported(1, 1, std::nan("")), Decision::stop);
  rule->ended(1, TrialState::stopped);
  rule->ended(2, TrialState::failed);
  EXPECT_EQ(rule->promotes(false), std::nullopt) << "one of four is not there yet";
  EXPECT_EQ(rule->reported(3, 1, 2), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 0U) << "four thirds are one";
  EXPECT_EQ(rule->gives_up(), (Trials{3}));
}

TEST(Halving, WhoEndsBeforeARungCountsAmongThoseOfWhomTheBestGoOn) {
  auto rule = halving(9);
  for (std::uint64_t trial = 0; trial < 7; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  rule->ended(7, TrialState::failed);
  rule->ended(8, TrialState::failed);
  EXPECT_EQ(resume_all(*rule), (Trials{0, 1, 2})) << "a third of nine, not of seven";
}

TEST(Halving, OneThatFailsHigherUpIsNotWaitedForThere) {
  auto rule = halving(9);
  for (std::uint64_t trial = 0; trial < 9; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  EXPECT_EQ(resume_all(*rule), (Trials{0, 1, 2}));
  (void)rule->reported(1, 3, 1);
  rule->ended(0, TrialState::failed);
  EXPECT_EQ(rule->promotes(false), std::nullopt);
  (void)rule->reported(2, 3, 2);
  EXPECT_EQ(rule->promotes(false), 1U);
}

TEST(Halving, WhoRunsAgainIsWaitedForAgain) {
  auto rule = halving(4);
  (void)rule->reported(0, 1, 2);
  (void)rule->reported(1, 1, 3);
  rule->ended(2, TrialState::failed);
  rule->reopened(2);
  EXPECT_EQ(rule->reported(3, 1, 4), Decision::pause);
  EXPECT_EQ(rule->promotes(false), std::nullopt) << "trial 2 runs";
  EXPECT_EQ(rule->reported(2, 1, 1), Decision::go);
  EXPECT_EQ(rule->gives_up(), (Trials{0, 1, 3}));
}

TEST(Halving, WhoRunsAgainBehindItsGroupIsComparedWithAllThatCame) {
  for (const double loss : {0.5, 9.0}) {
    auto rule = halving(4);
    rule->ended(2, TrialState::failed);
    for (const std::uint64_t trial : {0U, 1U, 3U}) (void)rule->reported(trial, 1, 1.0 + trial);
    ASSERT_EQ(rule->promotes(false), 0U) << "the group goes on without it";
    rule->resumed(0);
    rule->reopened(2);
    EXPECT_EQ(rule->reported(2, 1, loss), loss < 1 ? Decision::go : Decision::stop);
  }
}

TEST(Halving, GroupsDoNotMix) {
  auto rule = halving(3);
  for (std::uint64_t trial = 3; trial < 6; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  (void)rule->reported(0, 1, 50);
  EXPECT_EQ(resume_all(*rule), (Trials{3}));
  EXPECT_EQ(rule->gives_up(), (Trials{4, 5}));
}

TEST(Halving, AGroupThatIsNotWholeIsDecidedAboutInTheEnd) {
  auto rule = halving(9);
  for (std::uint64_t trial = 0; trial < 6; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(6 - trial));
  EXPECT_EQ(rule->promotes(false), std::nullopt);
  EXPECT_EQ(rule->promotes(true), 5U);
  EXPECT_EQ(resume_all(*rule, true), (Trials{4, 5})) << "two of six";
  EXPECT_EQ(rule->gives_up(), (Trials{0, 1, 2, 3}));
}

TEST(Halving, AReportPastSeveralRungsCountsAtOneAfterTheOther) {
  auto rule = halving(9);
  for (std::uint64_t trial = 0; trial < 8; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  EXPECT_EQ(rule->reported(8, 4, -1), Decision::pause) << "it is at the second rung already";
  EXPECT_EQ(resume_all(*rule), (Trials{0, 1}));
  (void)rule->reported(0, 3, 0);
  EXPECT_EQ(rule->reported(1, 3, 1), Decision::pause);
  EXPECT_EQ(rule->promotes(false), 8U);
  EXPECT_EQ(rule->gives_up(), (Trials{0, 1, 2, 3, 4, 5, 6, 7}));
}

/// A study that is extended has trials of a group that was decided about without them.
TEST(Halving, WhoComesLateIsComparedWithAllThatCame) {
  auto rule = halving(9, 9);
  for (std::uint64_t trial = 0; trial < 5; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  EXPECT_EQ(resume_all(*rule, true), (Trials{0}));
  for (const std::uint64_t trial : rule->gives_up()) rule->ended(trial, TrialState::stopped);
  (void)rule->reported(0, 3, 0);
  EXPECT_EQ(resume_all(*rule, true), Trials{}) << "it went on at once";
  (void)rule->reported(0, 9, 0);
  rule->ended(0, TrialState::complete);
  EXPECT_EQ(rule->reported(5, 1, -1), Decision::go) << "better than all before";
  EXPECT_EQ(rule->reported(5, 3, -1), Decision::go);
  EXPECT_EQ(rule->reported(6, 1, 3.5), Decision::stop) << "worse than two thirds";
  rule->ended(6, TrialState::stopped);
  EXPECT_EQ(rule->reported(7, 1, std::nan("")), Decision::stop);
  EXPECT_EQ(rule->reported(8, 3, -2), Decision::go) << "at two rungs at once";
  EXPECT_EQ(rule->promotes(true), std::nullopt);
  EXPECT_EQ(rule->gives_up(), Trials{});
}

TEST(Halving, WhoCatchesUpIsWaitedFor) {
  auto rule = halving(9);
  for (std::uint64_t trial = 0; trial < 6; ++trial)
    (void)rule->reported(trial, 1, static_cast<double>(trial));
  EXPECT_EQ(resume_all(*rule, true), (Trials{0, 1}));
  for (const std::uint64_t trial : rule->gives_up()) rule->ended(trial, TrialState::stopped);
  (void)rule->reported(0, 3, 5);
  rule->ended(6, TrialState::failed);
  EXPECT_EQ(rule->promotes(false), std::nullopt) << "trial 1 is missing, trial 6 was not expected";
  EXPECT_EQ(rule->reported(7, 1, -1), Decision::go);
  EXPECT_EQ(rule->reported(1, 3, 4), Decision::pause) << "trial 7 is on its way";
  EXPECT_EQ(rule->reported(7, 3, 3), Decision::go);
  EXPECT_EQ(rule->gives_up(), (Trials{0, 1}));
}

}  // namespace
}  // namespace hpo
