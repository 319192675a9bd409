// Networks that a rule pauses at a rung, and that go on when they are promoted.

#include <algorithm>

#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class PromotionTest : public SmallStudy {
 protected:
  /// One slot, so that more trials wait than stay in memory.
  [[nodiscard]] StudySpec promoting(const std::string& more = "") const {
    return parse_study(base::cat("name: small\ndata: {csv: rows.csv, target: kind}\n"
                                 "network: [dense: {units: $width}]\n"
                                 "train: {optimizer: {sgd: {lr: 0.01}}, epochs: 9}\n"
                                 "method: random\nearly_stop: {type: asha, promote: true}\n"
                                 "parallel: 1\nparameters: {width: {type: int, min: 4, max: 400}}\n"
                                 "limits: {trials: 9}\n",
                                 more),
                       "small.yaml", folder_.path().string());
  }

  [[nodiscard]] std::int64_t epochs_of_all() const {
    std::int64_t epochs = 0;
    for (const TrialRow& trial : StudyReader(run()).trials()) epochs += trial.epochs;
    return epochs;
  }

  /// What happened, without the sessions it took.
  [[nodiscard]] std::vector<std::string> history() const {
    std::vector<std::string> texts;
    for (const EventRow& event : StudyReader(run()).events()) {
      if (event.kind != "opened")
        texts.push_back(base::cat(event.vtime, " ", event.trial.value_or(999), " ", event.kind, " ",
                                  event.payload()));
    }
    return texts;
  }
};

TEST_F(PromotionTest, GoesOnFromTheNetworkThatWaited) {
  const Session done = session(promoting(), "a");
  ASSERT_EQ(done.end, DriverEnd::finished);
  const TrialCounts counts = StudyReader(run()).counts();
  EXPECT_EQ(counts.complete + counts.stopped, 9);
  EXPECT_GE(counts.complete, 1);
  EXPECT_GE(events("resumed").size(), 3U);
  EXPECT_EQ(done.epochs, epochs_of_all()) << "nothing is trained twice";
}

TEST_F(PromotionTest, AnInterruptedStudyIsTheUndisturbedOne) {
  ASSERT_EQ(session(promoting(), "a").end, DriverEnd::finished);
  const auto expected = history();
  for (const int reports : {4, 8, 11}) {
    std::filesystem::remove_all(run());
    std::filesystem::remove_all(store());
    Stopper stopper(reports);
    ASSERT_EQ(session(promoting(), "a", stopper).end, DriverEnd::interrupted);
    ASSERT_EQ(session(promoting(), "a").end, DriverEnd::finished);
    EXPECT_EQ(history(), expected) << reports;
  }
}

/// A trial whose own training ends at a rung has ended by itself.
TEST_F(PromotionTest, WhatTrainsItsOwnEpochsIsComplete) {
  const StudySpec file = parse_study(
      "name: small\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 8}]\n"
      "train: {optimizer: {sgd: {lr: $lr}}, epochs: $width}\nmethod: random\n"
      "early_stop: {type: asha, min: 1, eta: 3, promote: true}\nparallel: 2\n"
      "parameters: {lr: {min: 1e-4, max: 1e-1, scale: log}, width: {values: [1, 3, 9]}}\n"
      "limits: {trials: 18}\n",
      "small.yaml", folder_.path().string());
  ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
  const auto expected = history();
  std::size_t short_ones = 0;
  for (const TrialRow& row : StudyReader(run()).trials()) {
    const auto own = std::get<std::int64_t>(*row.params.find("width"));
    if (row.epochs < own) continue;
    EXPECT_EQ(row.state, TrialState::complete) << row.trial << " with " << own << " epochs";
    short_ones += own < 9 ? 1U : 0U;
  }
  EXPECT_GE(short_ones, 6U);
  std::filesystem::remove_all(run());
  std::filesystem::remove_all(store());
  Stopper stopper(7);
  ASSERT_EQ(session(file, "a", stopper).end, DriverEnd::interrupted);
  ASSERT_EQ(session(file, "a").end, DriverEnd::finished);
  EXPECT_EQ(history(), expected);
}

TEST_F(PromotionTest, APlanPlaysPausesThrough) {
  const rt::Runtime runtime({.executor = rt::Executor::sequential});
  const Plan plan = plan_study(load_settled(promoting()), platform_here(1));
  EXPECT_EQ(plan.trials, 9);
  // Nine at the first rung; of n there or at the next one, at most a third has gone on.
  EXPECT_GE(plan.epochs, 9 + 3 * 2 + 6);
  EXPECT_LE(plan.epochs, 9 + 4 * 2 + 2 * 6);
}

}  // namespace
}  // namespace hpo
