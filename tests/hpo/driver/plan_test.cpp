// What a study of adapting networks is said to cost before it runs, against what it did cost.

#include "hpo/driver/planning/plan.h"

#include "hpo/driver/planning/placement.h"

#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class PlanTest : public SmallStudy {
 protected:
  [[nodiscard]] static Plan plan(const StudySpec& spec) {
    const rt::Runtime runtime({.executor = rt::Executor::sequential});
    return plan_study(load_settled(spec), platform_here(1));
  }

  /// Counted FLOPs of all trials, after running them.
  [[nodiscard]] double spent(const StudySpec& spec) const {
    EXPECT_EQ(session(spec, "a").end, DriverEnd::finished);
    double flops = 0;
    for (const TrialRow& trial : StudyReader(run()).trials()) flops += trial.train_flops;
    return flops;
  }
};

/// 72 rows in batches of 32 are three steps an epoch; three trials of six epochs.
constexpr std::int64_t kSteps = 3 * 6 * 3;

TEST_F(PlanTest, CountsStepsBesideEpochs) {
  const Plan whole = plan(study());
  EXPECT_EQ(whole.steps, kSteps);
  EXPECT_EQ(whole.distinct_steps, kSteps);
  EXPECT_FALSE(whole.at_least);
  EXPECT_DOUBLE_EQ(whole.flops, spent(study()));

  const Plan shared =
      plan(parse_study("data: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 8}]\n"
                       "train: {epochs: $e}\nmethod: grid\nparameters: {e: {values: [4, 6]}}\n"
                       "adapt: {policy: schedule, at: {2.5: {widen: {layer: dense1, by: 3}}}}\n",
                       "shared.yaml", folder_.path().string()));
  EXPECT_EQ(shared.steps, 4 * 3 + 6 * 3);
  EXPECT_EQ(shared.distinct_steps, 6 * 3) << "the shorter one is the longer one's beginning";
  EXPECT_EQ(shared.epochs, 10);
  EXPECT_EQ(shared.distinct_epochs, 6);
  EXPECT_FALSE(shared.at_least);
}

TEST_F(PlanTest, ATimetablesShapesAreCountedExactly) {
  const StudySpec spec = study(
      "adapt: {policy: schedule, at: {2: {widen: {layer: dense1, by: 30}},"
      " 3.5: {shrink: {layer: dense1, by: 12}}}}\n");
  const Plan planned = plan(spec);
  EXPECT_FALSE(planned.at_least);
  EXPECT_EQ(planned.epochs, 18);
  EXPECT_EQ(planned.steps, kSteps);
  EXPECT_DOUBLE_EQ(planned.flops, spent(spec));
  EXPECT_NE(planned.flops, plan(study()).flops);
  EXPECT_GT(planned.memory, plan(study()).memory);
}

TEST_F(PlanTest, OneRaceThatKeepsTheNetworkIsCountedExactly) {
  // Growing never pays, so that the cheapest outcome is the one that is taken.
  const StudySpec spec =
      study("adapt: {policy: race, length: 0.5, patience: 1, grow_below: 0, shrink: false}\n");
  const Plan planned = plan(spec);
  EXPECT_TRUE(planned.at_least) << "nobody knew";
  EXPECT_DOUBLE_EQ(planned.flops, spent(spec));
  EXPECT_EQ(planned.epochs, 18);
  EXPECT_EQ(planned.steps, kSteps + 3) << "one candidate a trial beside it, for one step";
}

TEST_F(PlanTest, WhatRacesDecideIsALowerBound) {
  for (const char* adapt :
       {"adapt: {policy: race, length: 0.5, factor: 1.5, price: 1e-9}\n",
        "adapt: {policy: race, length: 0.5, factor: 2, price: 10}\n",
        "adapt: {policy: prune, strength: 1, threshold: 0.5, until: 5}\n",
        "adapt: {policy: plateau, points: 2, window: 3, falling: 1, length: 1, price: 10}\n"}) {
    std::filesystem::remove_all(run()), std::filesystem::remove_all(store());
    const StudySpec spec = study(adapt);
    const Plan planned = plan(spec);
    EXPECT_TRUE(planned.at_least);
    EXPECT_GT(planned.flops, 0);
    EXPECT_LE(planned.flops, spent(spec)) << adapt;
  }
}

TEST_F(PlanTest, FoldsBringTheirRowsEachForItself) {
  const auto streamed = [&](const std::string& data) {
    const rt::Runtime runtime({.executor = rt::Executor::sequential});
    const LoadedStudy loaded =
        load_settled(parse_study("data: {csv: rows.csv, target: kind" + data +
                                     "}\nnetwork: [dense: {units: 8}]\ntrain: {epochs: 1, "
                                     "optimizer: {type: sgd, lr: $lr}}\nmethod: grid\n"
                                     "parameters: {lr: {values: [0.1]}}\n",
                                 "folds.yaml", folder_.path().string()));
    rt::Platform platform = platform_here(1, 1);
    platform.gpu.link = 1e3;  // nothing else takes any time beside that
    platform.gpu.latency = 0;
    platform.gpu.memory = 1;
    double seconds = 0;
    const std::vector<PaperTrial> trials = paper_trials(loaded, platform);
    for (const Piece& piece : trials.at(0)) seconds += piece.gpu_seconds;
    return seconds;
  };
  EXPECT_GT(streamed(", folds: 4"), 3 * streamed(""));
}

TEST_F(PlanTest, SmallNetworksThatShareAGpuTakeAsLongAsOneAlone) {
  const auto seconds = [&](const char* parallel, int sharers) {
    const rt::Runtime runtime({.executor = rt::Executor::sequential});
    const LoadedStudy loaded = load_settled(parse_study(
        base::cat("data: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 8}]\n"
                  "train: {epochs: 1, optimizer: {type: sgd, lr: $lr}}\nmethod: random\n"
                  "early_stop: none\nlimits: {trials: 32}\nresources: {gpus: 0.125}\nparallel: ",
                  parallel, "\nparameters: {lr: {min: 0.1, max: 0.2}}\n"),
        "shared.yaml", folder_.path().string()));
    const rt::Platform platform = rt::with_sharers(platform_here(16, 1), sharers);
    return plan_study(loaded, platform).seconds;
  };
  const double alone = seconds("8", 1);
  EXPECT_NEAR(seconds("8", 8), alone / 8, 1e-9);
  EXPECT_NEAR(seconds("2", 8), alone / 2, 1e-9) << "no more at once than there are slots";
  EXPECT_NEAR(seconds("auto\norder: arrival", 8), alone / 8, 1e-9)
      << "as many slots as there are places";
}

TEST_F(PlanTest, WhereOnlyTimeEndsAStudyThereAreAsManyTrialsAsItHolds) {
  const auto timed = [&](const std::string& time) {
    return plan(
        parse_study("data: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 4096}]\n"
                    "train: {optimizer: {sgd: {lr: $lr}}, epochs: 6}\nearly_stop: none\n"
                    "method: random\nparallel: 1\nparameters: {lr: {min: 0.01, max: 0.1}}\n"
                    "limits: {time: " +
                        time + "}\n",
                    "timed.yaml", folder_.path().string()));
  };
  const Plan few = timed("1ms");
  EXPECT_TRUE(few.ends_by_time);
  EXPECT_LT(few.trials, 20) << "each takes a good part of a millisecond";
  EXPECT_FALSE(plan(study()).ends_by_time);
  const Plan all = timed("100h");
  EXPECT_EQ(all.trials, 1000);
  const Plan some = timed(base::cat(static_cast<std::int64_t>(all.seconds * 1e3 / 4), "ms"));
  EXPECT_GT(some.trials, few.trials);
  EXPECT_LT(some.trials, all.trials);
  const Plan grid =
      plan(parse_study("data: {csv: rows.csv, target: kind}\nmethod: grid\n"
                       "network: [dense: {units: $w}]\ntrain: {epochs: 1}\n"
                       "parameters: {w: {values: [4, 5, 6]}}\nlimits: {time: 1ms}\n",
                       "grid.yaml", folder_.path().string()));
  EXPECT_FALSE(grid.ends_by_time) << "its size is known";
  EXPECT_EQ(grid.trials, 3);
}

TEST_F(PlanTest, TheJsonHasItsKeysInOrder) {
  const std::string json = plan_json(plan(study()));
  std::size_t at = 0;
  for (const char* key : {"trials", "epochs", "distinct_epochs", "steps", "distinct_steps", "flops",
                          "distinct_flops", "memory", "seconds", "placement", "at_least"}) {
    const std::size_t next = json.find(base::cat("\"", key, "\":"), at);
    ASSERT_NE(next, std::string::npos) << key << " in " << json;
    at = next;
  }
}

}  // namespace
}  // namespace hpo
