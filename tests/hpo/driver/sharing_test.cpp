// Work that trials have in common runs once: counted in the task's body, with results that are the
// same bits as without sharing.

#include <gtest/gtest.h>

#include "base/text.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/driver/sweep.h"
#include "hpo/export/export.h"
#include "runtime/instance.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

constexpr std::string_view kHead = R"(
data: {csv: rows.csv, target: y}
network: [dense: {units: 4, activation: tanh}]
)";

/// What the files of a folder take on a disk of 4 KiB blocks.
std::uint64_t bytes_in(const base::Path& folder) {
  std::uint64_t bytes = 0;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
    if (item.is_regular_file()) bytes += (item.file_size() + 4095) / 4096 * 4096;
  }
  return bytes;
}

/// The grid of the PyCOMPSs work: optimizer x batch x epochs.
std::string grid(const std::string& epochs) {
  return base::cat(kHead,
                   "train: {optimizer: {type: $optimizer}, batch: $batch, epochs: $epochs}\n",
                   "method: grid\nparameters:\n  optimizer: {values: [adam, sgd, rmsprop]}\n",
                   "  batch: {values: [16, 32, 64]}\n  epochs: {values: ", epochs, "}\n");
}

class Sharing : public testing::Test {
 protected:
  Sharing() {
    std::string rows = "a,b,y\n";
    for (int i = 0; i < 90; ++i)
      rows += base::cat(i * 37 % 101, ",", i * 53 % 97, ",", i * 37 % 101 > i * 53 % 97 ? "p" : "q",
                        "\n");
    base::write_file_atomic(folder_ / "rows.csv", rows);
  }

  [[nodiscard]] StudySpec load(const std::string& text, const std::string& name) const {
    return parse_study(text, name + ".yaml", folder_.path().string(), {.name = name});
  }

  /// Runs a study in a folder of its own name; studies share the store beside them, if no other is
  /// named.
  SweepResult sweep(const std::string& text, const std::string& name, bool sharing = true,
                    const base::Path& store = {}) {
    Observer silent;
    return run_sweep(load(text, name),
                     {.folder = folder_ / name,
                      .store = store,
                      .engine = Engine::sequential,
                      .sharing = sharing},
                     silent);
  }

  [[nodiscard]] std::string table(const std::string& name) const {
    return export_csv(StudyReader(folder_ / name));
  }

  [[nodiscard]] Plan plan(const std::string& text) const {
    const rt::Runtime runtime({.executor = rt::Executor::sequential});
    const StudySpec study = load(text, "plan");
    return plan_study(load_settled(study), platform_here(1));
  }

  /// With sharing, then without: the same results, and the counts of both and of the plan.
  void expect_work(const std::string& text, std::int64_t epochs, std::int64_t distinct) {
    const std::uint64_t loaded = tasks::datasets_loaded();
    const WorkCounters shared = sweep(text, "shared").work;
    EXPECT_EQ(tasks::datasets_loaded(), loaded + 1);
    EXPECT_EQ(shared.epochs, epochs);
    EXPECT_EQ(shared.distinct_epochs, distinct);
    const WorkCounters status = StudyReader(folder_ / "shared").work();
    EXPECT_EQ(status.epochs, epochs);
    EXPECT_EQ(status.distinct_epochs, distinct);

    const WorkCounters alone = sweep(text, "alone", false).work;
    EXPECT_EQ(alone.epochs, epochs);
    EXPECT_EQ(alone.distinct_epochs, epochs);
    EXPECT_EQ(table("alone"), table("shared"));

    const Plan planned = plan(text);
    EXPECT_EQ(planned.epochs, epochs);
    EXPECT_EQ(planned.distinct_epochs, distinct);
  }

  support::TempFolder folder_;
};

TEST_F(Sharing, ThePublishedGridRuns450EpochsOf720) {
  expect_work(grid("[10, 20, 50]"), 720, 450);
  EXPECT_EQ(StudyReader(folder_ / "shared").counts().complete, 27);
}

TEST_F(Sharing, ThePublishedLongGridRuns900EpochsOf1530) {
  expect_work(grid("[20, 50, 100]"), 1530, 900);
}

TEST_F(Sharing, ASecondStudyRunsOnlyWhatIsNew) {
  const auto kept = [](const std::string& epochs) {
    return grid(epochs) + "checkpoint: {overhead: 100%}\n";
  };
  EXPECT_EQ(sweep(kept("[2, 5]"), "first").work.distinct_epochs, 9 * 5);
  const WorkCounters second = sweep(kept("[2, 5, 8]"), "second").work;
  EXPECT_EQ(second.epochs, 9 * 15);
  EXPECT_EQ(second.distinct_epochs, 9 * 3);
  EXPECT_EQ(sweep(kept("[5]"), "third").work.distinct_epochs, 0);
  EXPECT_EQ(sweep(kept("[2, 5, 8]"), "alone", false).work.distinct_epochs, 9 * 15)
      << "without sharing, nothing comes from the store of the others";
  EXPECT_EQ(table("alone"), table("second"));
}

TEST_F(Sharing, WhatIsComputedSoonerThanWrittenIsNotLeftBehind) {
  // Those that have names of their own, not the one of small entries.
  const auto files = [&](const std::string& store) {
    std::uint64_t count = 0;
    for (const auto& item : std::filesystem::recursive_directory_iterator(folder_ / store))
      count += item.is_regular_file() && !item.path().filename().native().starts_with('.') ? 1 : 0;
    return count;
  };
  sweep(grid("[2, 5]"), "quick", true, folder_ / "quick-store");
  sweep(grid("[2, 5]") + "checkpoint: {overhead: 100%}\n", "kept", true, folder_ / "kept-store");
  EXPECT_GE(files("kept-store"), 9U);
  EXPECT_LE(files("quick-store"), 4U) << "now and then one is written";
}

TEST_F(Sharing, AnyBudgetOfTheStoreGivesTheSameStudy) {
  sweep(grid("[10, 20]"), "alone", false);
  for (const std::uint64_t megabytes : {1, 64}) {
    const std::string name = base::cat("budget", megabytes), again = name + "again";
    const std::string text = base::cat(
        grid("[10, 20]"), "checkpoint: {overhead: 100%}\nstore: {budget: ", megabytes, "MB}\n");
    const base::Path store = folder_ / (name + "-store");
    const std::int64_t first = sweep(text, name, true, store).work.distinct_epochs;
    EXPECT_EQ(table(name), table("alone"));
    // What is protected may lie beyond the budget.
    EXPECT_LE(bytes_in(store), megabytes * 1'000'000 * 5 / 4);
    const std::int64_t second = sweep(text, again, true, store).work.distinct_epochs;
    EXPECT_EQ(table(again), table("alone"));
    EXPECT_GE(first, 9 * 20);
    EXPECT_EQ(second == 0, megabytes == 64) << "what was evicted is computed again";
  }
}

TEST_F(Sharing, RatesThatAgreeAtFirstShareThatPart) {
  const std::string train = base::cat(
      kHead, "train: {optimizer: {type: sgd, lr: [[0, 0.1], [$when, $late]]}, epochs: 9}\n",
      "method: grid\nparameters: {when: {values: [3, 5]}, late: {values: [0.01, 0.02, 0.03]}}\n");
  // From epoch 3 on three ways; the common beginning of the others goes on to 5, then three more.
  expect_work(train, 6 * 9, 3 + 3 * 6 + 2 + 3 * 4);
}

TEST_F(Sharing, EqualStretchesAfterDifferentPastsAreNotShared) {
  const std::string train =
      base::cat(kHead, "train: {optimizer: {type: sgd, lr: [[0, $early], [4, 0.01]]}, epochs: 6}\n",
                "method: grid\nparameters: {early: {values: [0.1, 0.2]}}\n");
  expect_work(train, 12, 12);
}

TEST_F(Sharing, ASchedulePartsFromTheConstantRateWhereItLeavesIt) {
  const std::string train =
      base::cat(kHead, "train: {schedule: {type: $s, every: 3, epochs: 2}, epochs: 6}\n",
                "method: grid\nparameters: {s: {values: [constant, step, warmup]}}\n");
  expect_work(train, 18, 6 + 3 + 6);
}

TEST_F(Sharing, ASearchWithARuleIsTheSame) {
  const std::string text = base::cat(
      kHead, "train: {optimizer: {type: sgd, lr: $lr}, batch: $batch, epochs: $e}\n",
      "parameters: {lr: {values: [0.01, 0.1]}, batch: {values: [16, 32]}, e: {values: [3, 9]}}\n",
      "early_stop: {type: asha, min: 1, eta: 3}\nlimits: {trials: 8}\n");
  const WorkCounters shared = sweep(text, "shared").work;
  const WorkCounters alone = sweep(text, "alone", false).work;
  EXPECT_EQ(table("alone"), table("shared"));
  EXPECT_LT(shared.distinct_epochs, shared.epochs);
  EXPECT_EQ(alone.distinct_epochs, alone.epochs);
  EXPECT_EQ(plan(text).trials, 8);
}

TEST_F(Sharing, ATrainingWithoutItIsRepeated) {
  const std::string text = base::cat(kHead, "train: {epochs: 4}\n");
  Observer silent;
  const auto train = [&](bool sharing) {
    const double before = tasks::epochs_trained();
    const TrainResult result = train_once(
        load(text, "one"), {},
        {.folder = folder_ / "one", .engine = Engine::sequential, .sharing = sharing}, silent);
    return std::pair(result.trial.metrics, tasks::epochs_trained() - before);
  };
  const auto first = train(true);
  EXPECT_EQ(first.second, 4);
  EXPECT_EQ(train(true).second, 0);
  EXPECT_EQ(train(false), first);
  EXPECT_EQ(train(false), first);
}

}  // namespace
}  // namespace hpo
