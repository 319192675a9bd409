#include "hpo/log/trial_front.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hpo {
namespace {

TrialRow row(std::uint64_t trial, double accuracy, double weights,
             TrialState state = TrialState::complete) {
  return {.trial = trial,
          .state = state,
          .value = accuracy,
          .metrics = {{"valid.accuracy", accuracy}, {"weights", weights}}};
}

Objective objective() { return {.maximize = true, .others = {{"weights", false}}}; }

TEST(TrialFront, HoldsWhatNoOtherBeats) {
  const std::vector<TrialRow> rows{row(0, 0.5, 10), row(1, 0.9, 50),
                                   row(2, 0.8, 60), row(3, 0.9, 50),
                                   row(4, 0.7, 20), row(5, 1, 1, TrialState::stopped),
                                   row(6, NAN, 1)};
  const TrialFront front = front_of(rows, objective());
  EXPECT_EQ(front.trials, (std::vector<std::uint64_t>{1, 4, 0})) << "by the first metric";
  EXPECT_TRUE(front.has(4));
  EXPECT_FALSE(front.has(3));
  EXPECT_DOUBLE_EQ(*front.hypervolume, 0.2 * 40 + 0.2 * 10) << "from 0.5 and 60 on";
}

TEST(TrialFront, CountsFromTheReferences) {
  Objective searched = objective();
  searched.reference = 0;
  searched.others[0].reference = 100;
  EXPECT_DOUBLE_EQ(front_of({row(0, 0.5, 60)}, searched).hypervolume.value(), 0.5 * 40);
}

TEST(TrialFront, LeavesOutWhatBreaksBounds) {
  Objective searched = objective();
  searched.subject_to = {{.metric = "weights", .max = 30}};
  EXPECT_EQ(front_of({row(0, 0.9, 50), row(1, 0.5, 10)}, searched).trials,
            (std::vector<std::uint64_t>{1}));
  EXPECT_TRUE(front_of({}, searched).trials.empty());
}

}  // namespace
}  // namespace hpo
