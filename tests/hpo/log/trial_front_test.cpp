#include "hpo/log/trial_front.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

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

TEST(TrialFront, BestIsItsFirst) {
  const std::vector<TrialRow> rows{row(0, 0.95, NAN), row(1, 0.9, 10), row(2, 0.5, 5)};
  EXPECT_EQ(front_of(rows, objective()).trials, (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(best_of(rows, objective())->trial, 1u);
}

TEST(TrialFront, MeasuresNothingThatWouldTakeHours) {
  Objective searched = objective();
  std::vector<TrialRow> rows;
  constexpr int kTrials = 2000, kMetrics = 5;
  for (int m = 1; m < kMetrics; ++m) searched.others.push_back({"m" + std::to_string(m), false});
  for (int i = 0; i < kTrials; ++i) {
    rows.push_back(row(static_cast<std::uint64_t>(i), i, i));
    for (int m = 1; m < kMetrics; ++m) rows.back().metrics.emplace_back("m" + std::to_string(m), i);
  }
  const TrialFront front = front_of(rows, searched);
  EXPECT_EQ(front.trials.size(), rows.size());
  EXPECT_FALSE(front.hypervolume);
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
