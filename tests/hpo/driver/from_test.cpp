// Trained networks that go on with other data.

#include <algorithm>

#include "base/error.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/driver/sweep.h"
#include "hpo/export/export.h"
#include "nn/model/model_file.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

class From : public SmallStudy {
 protected:
  From() {
    std::string rows = "c,d,a,kind\n";
    for (int i = 0; i < 160; ++i) {
      const int a = i * 41 % 101 - 50, d = i * 59 % 97 - 48, c = i * 31 % 89 - 44;
      const char* kind = d > 30 ? "never" : a > c ? "yes" : "no";
      rows += base::cat(c, ",", d, ",", a * 0.5, ",", kind, "\n");
    }
    base::write_file_atomic(folder_ / "new.csv", rows);
    (void)train("old",
                "name: old\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 9}]\n"
                "train: {optimizer: {adam: {lr: 0.01}}, epochs: 40}\n");
  }

  [[nodiscard]] StudySpec parsed(const std::string& text) const {
    return parse_study(text, "s.yaml", folder_.path().string());
  }
  TrainResult train(const std::string& name, const std::string& text, int workers = 1) const {
    RunOptions options{.folder = folder_ / name, .store = {}, .workers = workers};
    options.engine = workers > 1 ? Engine::starpu_cpu : Engine::sequential;
    Stopper silent(0);
    const StudySpec study = parsed(text);
    TrainResult result = train_once(study, study.space.middle(), options, silent);
    notes_ = silent.notes;
    return result;
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return base::read_file(folder_ / name, std::uint64_t{1} << 30);
  }

  static std::string text(const std::string& options = "", const std::string& more = "") {
    return base::cat(
        "name: new\ndata: {csv: new.csv, target: kind}\nfrom: {model: "
        "old/model-optimizer.safetensors",
        options, "}\ntrain: {optimizer: {adam: {lr: 0.01}}, batch: 16, epochs: 5}\n", more);
  }

  mutable std::string notes_;
};

double metric_of(const TrainResult& result, const std::string& name) {
  return metric_value(result.trial.metrics, name);
}

TEST_F(From, ANetworkGetsNewColumnsAndClassesAndSaysSo) {
  const TrainResult result = train("a", text(", replay: rows.csv"));
  EXPECT_EQ(result.shape, "4-9-3");
  for (const char* line :
       {"new columns: 'd'\n", "columns that are gone: 'b', taken as missing in every row\n",
        "new classes: 'never'\n", "4-9-3, the optimizer's state is kept\n",
        "replay: 96 old rows to train on, 24 to measure what is forgotten\n"})
    EXPECT_NE(notes_.find(line), std::string::npos) << notes_;
  EXPECT_GT(metric_of(result, "replay_before.accuracy"), 0.5);
  EXPECT_GT(metric_of(result, "replay.accuracy"), 0.5);
  const nn::Model model =
      nn::read_model((folder_ / "a" / "model-optimizer.safetensors").string(), true);
  EXPECT_EQ(model.net.header().optimizer, "adam");
  EXPECT_EQ(model.net.header().slots, 2);
  // Before 40 epochs of 3 steps, then 5 of 12: 96 new rows and as many old ones in batches of 16.
  EXPECT_EQ(model.net.state().steps, 40 * 3 + 5 * 12);
}

TEST_F(From, IsTheSameOnAnyNumberOfWorkers) {
  for (const char* more : {"", "adapt: auto\n", "adapt: {policy: race, every: 1}\n"}) {
    (void)train("one", text(", replay: rows.csv", more));
    (void)train("two", text(", replay: rows.csv", more), 2);
    EXPECT_EQ(file("one/model.safetensors"), file("two/model.safetensors")) << more;
    std::filesystem::remove_all(folder_ / "one");
    std::filesystem::remove_all(folder_ / "two");
  }
}

TEST_F(From, WithoutAReplayNothingIsMeasured) {
  const TrainResult result = train("a", text());
  EXPECT_NE(notes_.find("without old rows"), std::string::npos);
  EXPECT_FALSE(std::ranges::any_of(
      result.trial.metrics, [](const auto& metric) { return metric.first.starts_with("replay"); }));
}

TEST_F(From, TheModelsNetworkCounts) {
  (void)train("a", text("", "network: [dense: {units: 30}]\n"));
  EXPECT_NE(notes_.find("the network is the model's, not the 4-30-3 of `network`"),
            std::string::npos)
      << notes_;
}

TEST_F(From, AnotherModelIsAnotherStudy) {
  const std::string search = text("",
                                  "parameters: {width: {type: int, min: 4, max: 40}}\n"
                                  "network: [dense: {units: $width}]\nlimits: {trials: 2}\n");
  RunOptions options{.folder = folder_ / "s", .store = {}, .workers = 1};
  options.engine = Engine::sequential;
  options.commit_delay = {};
  Stopper never(0);
  (void)run_sweep(parsed(search), options, never);
  (void)run_sweep(parsed(search), options, never);  // goes on where it was
  (void)train("old",
              "name: old\nseed: 3\ndata: {csv: rows.csv, target: kind}\n"
              "network: [dense: {units: 9}]\ntrain: {optimizer: {adam: {lr: 0.02}}, epochs: 40}\n");
  try {
    (void)run_sweep(parsed(search), options, never);
    FAIL() << "another model was taken for the same";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("rows of data"), std::string_view::npos)
        << error.what();
  }
}

TEST_F(From, AnotherLossThanTheModelsIsRefused) {
  (void)train("one",
              "name: one\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 4}]\n"
              "train: {loss: bce, optimizer: sgd, epochs: 2}\n");
  const auto going_on = [&](const std::string& loss) {
    return base::cat(
        "name: next\ndata: {csv: rows.csv, target: kind}\n"
        "from: one/model.safetensors\ntrain: {loss: ",
        loss, ", epochs: 2}\n");
  };
  EXPECT_THROW((void)train("next", going_on("cross_entropy")), base::Error);
  EXPECT_EQ(train("next", going_on("bce")).shape, "3-4-1");
}

TEST_F(From, AnOldOptimizersStateDoesNotStayBesideANewModel) {
  EXPECT_TRUE(std::filesystem::exists(folder_ / "old" / "model-optimizer.safetensors"));
  (void)train("old",
              "name: old\ndata: {csv: rows.csv, target: kind}\nnetwork: [dense: {units: 5}]\n"
              "train: {optimizer: sgd, epochs: 2}\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "old" / "model-optimizer.safetensors"));
}

TEST_F(From, AModelIsNotWrittenOver) {
  const std::string before = file("old/model.safetensors");
  try {
    (void)train("old",
                "name: old\ndata: {csv: new.csv, target: kind}\nfrom: old/model.safetensors\n");
    FAIL() << "written over";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string_view(error.what()).find("would write over"), std::string_view::npos)
        << error.what();
  }
  EXPECT_EQ(file("old/model.safetensors"), before);
}

TEST_F(From, PlansCountWithAModelAndWithAuto) {
  for (const std::string& study :
       {text(", replay: rows.csv", "adapt: auto\n"), text(", replay: rows.csv"),
        std::string(
            "name: a\ndata: {csv: rows.csv, target: kind}\nadapt: auto\ntrain: {epochs: 3}\n")}) {
    rt::Runtime runtime({.executor = rt::Executor::sequential});
    const Plan plan = plan_study(load_settled(parsed(study)), platform_here(1));
    EXPECT_EQ(plan.trials, 1);
    EXPECT_EQ(plan.at_least, study.find("auto") != std::string::npos);
    EXPECT_GT(plan.flops, 0);
  }
}

TEST_F(From, EverySearchCanGoOnFromAModel) {
  for (const char* how :
       {"method: tpe\nearly_stop: {asha: {min: 1}}",
        "method: random\nearly_stop: {hyperband: {min: 1}}",
        "method: {pbt: {members: 4, every: 2}}", "method: random\nearly_stop: {median: {}}"}) {
    SCOPED_TRACE(how);
    const std::string study = base::cat(
        "name: s\ndata: {csv: new.csv, target: kind}\nfrom: {model: old/model.safetensors, replay: "
        "rows.csv}\ntrain: {optimizer: {adam: {lr: $lr}}, batch: 16, epochs: 6}\n"
        "parameters: {lr: {min: 0.001, max: 0.1, scale: log}}\n",
        how, "\n",
        std::string_view(how).find("pbt") == std::string_view::npos ? "limits: {trials: 6}\n" : "");
    std::string first;
    for (const int workers : {1, 2}) {
      RunOptions options{
          .folder = folder_ / base::cat("s", workers), .store = {}, .workers = workers};
      options.engine = workers > 1 ? Engine::starpu_cpu : Engine::sequential;
      options.commit_delay = {};
      Stopper never(0);
      const SweepResult result = run_sweep(parsed(study), options, never);
      ASSERT_TRUE(result.best);
      EXPECT_GT(metric_value(result.best->metrics, "replay.accuracy"), 0.5);
      const std::string table = export_csv(StudyReader(options.folder));
      if (workers == 1) first = table;
      EXPECT_EQ(table, first);
      std::filesystem::remove_all(options.folder);
    }
  }
}

}  // namespace
}  // namespace hpo
