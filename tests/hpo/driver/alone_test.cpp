// One network without a search, and a search without any network.

#include <cmath>
#include <filesystem>

#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/driver/sweep.h"
#include "nn/model/model_file.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class Alone : public SmallStudy {
 protected:
  [[nodiscard]] RunOptions options() const {
    return {.folder = run(), .store = store(), .engine = Engine::sequential};
  }
  [[nodiscard]] TrainResult train(const StudySpec& file, std::int64_t width) const {
    Observer silent;
    return train_once(file, {{"width", width}}, options(), silent);
  }
  static double metric(const Metrics& metrics, std::string_view name) {
    for (const auto& [known, value] : metrics) {
      if (known == name) return value;
    }
    return std::nan("");
  }
};

TEST_F(Alone, OneNetworkIsTrainedAndWritten) {
  const TrainResult result = train(study(), 16);
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_EQ(result.exit_code(), 0);
  EXPECT_EQ(result.trial.state, TrialState::complete);
  EXPECT_EQ(result.trial.epochs, 6);
  EXPECT_GT(result.trial.train_flops, 0);
  EXPECT_EQ(result.model, run() / "model.safetensors");
  EXPECT_TRUE(base::file_size(result.model));
  EXPECT_EQ(result.trial.value, metric(result.trial.metrics, "valid.accuracy"));
  EXPECT_GE(metric(result.trial.metrics, "test.accuracy"), 0);
}

TEST_F(Alone, ASecondCallIsAnsweredByTheStore) {
  const TrainResult first = train(study(), 16);
  const std::string bytes = base::read_file(first.model);
  const auto before = tasks::epochs_trained();
  const TrainResult again = train(study(), 16);
  EXPECT_EQ(tasks::epochs_trained(), before);
  EXPECT_EQ(again.trial.value, first.trial.value);
  EXPECT_EQ(base::read_file(again.model), bytes);
}

TEST_F(Alone, TheBestReportCountsWhereTheFileSaysSo) {
  const TrainResult last = train(study(), 16);
  const TrainResult best = train(study("metric: {name: valid.accuracy, take: best}\n"), 16);
  EXPECT_GE(*best.trial.value, *last.trial.value);
  EXPECT_EQ(best.trial.value, metric(best.trial.metrics, "valid.accuracy"));
}

TEST_F(Alone, TrainingThatDivergesIsAResult) {
  StudySpec wild = parse_study(
      "name: wild\ndata: {csv: rows.csv, target: kind}\n"
      "network: [dense: {units: $width, activation: relu}]\n"
      "train: {optimizer: {sgd: {lr: 1e30}}, epochs: 6}\n"
      "parameters: {width: {type: int, min: 4, max: 400}}\n",
      "wild.yaml", folder_.path().string());
  const TrainResult result = train(wild, 16);
  EXPECT_EQ(result.ending, Ending::nothing_usable);
  EXPECT_EQ(result.trial.state, TrialState::failed);
  EXPECT_EQ(result.trial.cause, Cause::diverged);
  EXPECT_TRUE(result.model.empty());
  EXPECT_FALSE(std::filesystem::exists(run() / "model.safetensors"));
}

TEST_F(Alone, AStudyIsPlannedWithoutTraining) {
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  const auto before = tasks::epochs_trained();
  const Plan plan = plan_study(load_settled(study()), platform_here(2));
  EXPECT_EQ(tasks::epochs_trained(), before);
  EXPECT_EQ(plan.trials, 3);
  EXPECT_EQ(plan.epochs, 18);
  EXPECT_EQ(plan.distinct_epochs, 18);
  EXPECT_EQ(plan.flops, plan.distinct_flops);
  EXPECT_GT(plan.memory, 0U);
  EXPECT_GT(plan.seconds, 0);
}

TEST_F(Alone, ARuleMakesThePlanCheaper) {
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  std::string text =
      "name: s\ndata: {csv: rows.csv, target: kind}\n"
      "network: [dense: {units: $width}]\ntrain: {epochs: 9}\n"
      "parameters: {width: {type: int, min: 4, max: 4000}}\nlimits: {trials: 20}\n";
  auto plan = [&](const std::string& rule) {
    return plan_study(load_settled(parse_study(text + rule, "s.yaml", folder_.path().string())),
                      platform_here(2));
  };
  EXPECT_EQ(plan("early_stop: none\n").epochs, 180);
  EXPECT_LT(plan("early_stop: asha\n").epochs, 120);
}

TEST_F(Alone, SlotsAreWhatTheFileSaysOrTheMachineHolds) {
  const StudySpec fixed = study();
  EXPECT_EQ(slots_of(fixed, {.cpus = 2}, 8, 0), 1);
  StudySpec held = fixed;
  held.parallel = 0;
  EXPECT_EQ(slots_of(held, {.cpus = 2}, 8, 0), 4);
  EXPECT_EQ(slots_of(held, {.cpus = 3}, 8, 0), 2);
  EXPECT_EQ(slots_of(held, {.cpus = 16}, 8, 0), 1);
  EXPECT_EQ(slots_of(held, {.cpus = 1, .gpus = 0.5}, 8, 2), 4);
}

}  // namespace
}  // namespace hpo
