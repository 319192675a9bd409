// Cross-validation: what a trial with folds reports, that it goes on after a stop, and which
// network is written.

#include <algorithm>
#include <cmath>
#include <map>

#include "hpo/driver/networks/baselines.h"
#include "hpo/driver/networks/folded_work.h"
#include "hpo/driver/sweep.h"
#include "hpo/export/candidates.h"
#include "hpo/export/export.h"
#include "hpo/study/trial_spec.h"
#include "nn/adapt/policy.h"
#include "nn/data/load.h"
#include "nn/data/preprocessing.h"
#include "nn/evaluation/baseline.h"
#include "nn/evaluation/calibration.h"
#include "nn/model/init.h"
#include "nn/model/model_file.h"
#include "runtime/instance.h"
#include "runtime/loop.h"
#include "tests/hpo/driver/small_study.h"

namespace hpo {
namespace {

constexpr int kFolds = 4;

class Folds : public SmallStudy {
 protected:
  [[nodiscard]] StudySpec folded(const std::string& more = "") const {
    return parse_study(
        base::cat("name: small\ndata: {csv: rows.csv, target: kind, folds: ", kFolds,
                  ", split: {test: 0.25}}\nnetwork: [dense: {units: $width}]\n"
                  "train: {optimizer: {sgd: {lr: 0.1}}, epochs: 4}\n"
                  "method: random\nearly_stop: {type: asha, min: 1, eta: 2}\nparallel: 2\n"
                  "parameters: {width: {type: int, min: 4, max: 40}}\nlimits: {trials: 5}\n",
                  more),
        "small.yaml", folder_.path().string());
  }

  /// One session in a folder of its own with a store of its own.
  SweepResult sweep(const std::string& name, Engine engine, int workers, Stopper& stopper) const {
    RunOptions options{.folder = folder_ / name / "small", .store = {}, .workers = workers};
    options.engine = engine;
    options.interrupts = &stopper.asked;
    options.commit_delay = {};
    return run_sweep(folded(more_), options, stopper);
  }
  SweepResult sweep(const std::string& name, Engine engine = Engine::sequential,
                    int workers = 1) const {
    Stopper never(0);
    return sweep(name, engine, workers, never);
  }

  [[nodiscard]] StudyReader reader(const std::string& name) const {
    return StudyReader(folder_ / name / "small");
  }

  /// The data of a trial as the settled study says it.
  [[nodiscard]] nn::DataSpec settled_data(const Params& params) const {
    const nn::Dataset data = nn::load_dataset(data_spec(folded(), params));
    return data_spec(settle(folded(), data_info(data.header())), params);
  }

  std::string more_;  ///< of the file that sweep() runs

  /// A network of the trial, trained without tasks on one part of the rows.
  struct Trained {
    nn::Dataset data;
    nn::ParamSlab net;
    nn::Scores scores;  ///< on the validation rows
  };
  [[nodiscard]] Trained trained(const Params& params, const nn::DataSpec& part) const {
    nn::Dataset data = nn::load_dataset(part);
    const StudySpec study = settle(folded(), data_info(data.header()));
    TrialSpec spec = materialise(study, params, data_info(data.header()));
    const tasks::Seeds seeds = tasks::derive_seeds(study.seed, data.header().content);
    spec.hyper.shuffle = seeds.shuffle;
    nn::ParamSlab net(nn::slab_header(spec.model, spec.hyper.optimizer));
    nn::init_weights(net, seeds.init);
    nn::Workspace workspace;
    (void)nn::train_steps(kern::cpu_kernels(), workspace, net, data.view(nn::Part::train),
                          spec.hyper, {0, spec.epochs, 1});
    nn::Scores scores = nn::evaluate(kern::cpu_kernels(), workspace, net,
                                     data.view(nn::Part::valid), spec.hyper.loss);
    return {std::move(data), std::move(net), std::move(scores)};
  }
};

double metric_of(const TrialRow& trial, const std::string& name) {
  return metric_value(trial.metrics, name);
}

TEST_F(Folds, ATrialReportsMeanAndSpread) {
  const SweepResult result = sweep("a");
  ASSERT_TRUE(result.best);
  const TrialRow& best = *result.best;
  std::vector<double> values;
  std::size_t valid_rows = 0;
  nn::DataSpec part = settled_data(best.params);
  for (part.split.fold = 0; part.split.fold < kFolds; ++part.split.fold) {
    const Trained fold = trained(best.params, part);
    values.push_back(fold.scores.accuracy);
    valid_rows += fold.data.part(nn::Part::valid).size();
  }
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / kFolds;
  for (const double value : values) squares += (value - mean) * (value - mean);
  EXPECT_NEAR(metric_of(best, "valid.accuracy"), mean, 1e-12);
  EXPECT_NEAR(metric_of(best, "valid.accuracy.spread"), std::sqrt(squares / (kFolds - 1)), 1e-12);
  EXPECT_EQ(valid_rows, 90U);  // every row outside of the test part, once
}

TEST_F(Folds, ARowIsTimedInEachFold) {
  Stopper never(0);
  RunOptions options{.folder = folder_ / "timed" / "small", .store = {}, .workers = 1};
  options.engine = Engine::sequential;
  options.commit_delay = {};
  const SweepResult result = run_sweep(folded("metric: valid.latency"), options, never);
  ASSERT_TRUE(result.best);
  const double seconds = metric_of(*result.best, "valid.latency");
  EXPECT_GT(seconds, 0);
  EXPECT_LT(seconds, 0.1);
  const double spread = metric_of(*result.best, "valid.latency.spread");
  EXPECT_GE(spread, 0) << "a clock may see no difference";
  EXPECT_LT(spread, 0.1);
}

TEST_F(Folds, EpochsCountForEachFold) {
  (void)sweep("a");
  const WorkCounters work = reader("a").work();
  std::int64_t epochs = 0;
  for (const TrialRow& row : reader("a").trials()) epochs += row.epochs;
  EXPECT_GT(epochs, 5);
  EXPECT_GE(work.epochs, kFolds * epochs);
  EXPECT_LE(work.distinct_epochs, work.epochs);
  EXPECT_GE(work.distinct_epochs, work.epochs / 2);
}

TEST_F(Folds, TheNetworkIsTrainedAgainOnAllRowsButTheTestPart) {
  const SweepResult result = sweep("a");
  ASSERT_TRUE(result.model);
  nn::DataSpec all = settled_data(result.best->params);
  all.split.folds = 0;
  all.split.valid = 0;
  const Trained expected = trained(result.best->params, all);
  EXPECT_EQ(expected.data.part(nn::Part::train).size(), 90U);
  const nn::Model model = nn::read_model(result.model->file.string());
  EXPECT_TRUE(std::ranges::equal(model.net.weights(), expected.net.weights()));
  EXPECT_EQ(model.metadata.at("preprocessing"), nn::preprocessing_json(expected.data));
  EXPECT_GT(metric_of(*result.best, "test.accuracy"), 0.5);
}

TEST_F(Folds, TheCalibrationIsThatOfEveryRowAnsweredByTheOtherFolds) {
  const SweepResult result = sweep("a");
  const Params& params = result.best->params;
  nn::DataSpec part = settled_data(params);
  nn::LabelledAnswers all;
  for (part.split.fold = 0; part.split.fold < kFolds; ++part.split.fold) {
    const Trained fold = trained(params, part);
    nn::Workspace workspace;
    const nn::DataView view = fold.data.view(nn::Part::valid);
    nn::Answers answers = nn::answers_of(kern::cpu_kernels(), workspace, fold.net, view,
                                         {.kind = "cross_entropy", .fields = {}});
    std::vector<std::int32_t> labels = nn::judged_of(answers, view).labels;
    const nn::LabelledAnswers own{
        .answers = std::move(answers), .labels = std::move(labels), .units = {}};
    all = part.split.fold == 0 ? own : nn::joined(all, own);
  }
  const nn::Model model = nn::read_model(result.model->file.string());
  EXPECT_EQ(nn::calibration_from_json(model.metadata.at("calibration")),
            nn::calibrate(all, "accuracy"));
  EXPECT_EQ(all.labels.size(), 90U);
}

TEST_F(Folds, IsTheSameOnAnyNumberOfWorkersAndAfterStops) {
  const SweepResult whole = sweep("a");
  const std::string expected = export_csv(reader("a"));
  for (const int workers : {1, 2}) {
    const std::string name = base::cat("workers", workers);
    (void)sweep(name, Engine::starpu_cpu, workers);
    EXPECT_EQ(export_csv(reader(name)), expected) << workers << " workers";
  }
  for (const int reports : {1, 3, 5}) {
    const std::string name = base::cat("stopped", reports);
    Stopper stopper(reports);
    EXPECT_EQ(sweep(name, Engine::sequential, 1, stopper).ending, Ending::interrupted);
    EXPECT_EQ(sweep(name).ending, Ending::done);
    EXPECT_EQ(export_csv(reader(name)), expected) << "stopped after report " << reports;
    EXPECT_EQ(base::read_file(folder_ / name / "small" / "best.safetensors"),
              base::read_file(whole.model->file));
  }
}

TEST_F(Folds, BaselinesAreScoredOnTheFolds) {
  (void)sweep("a");
  const Params params{{"width", std::int64_t{8}}};
  nn::DataSpec part = settled_data(params);
  nn::DataSpec whole = part;
  whole.split.folds = 0;
  whole.split.valid = 0;
  const auto score = [](const nn::DataSpec& spec, nn::Part scored, nn::Baseline kind) {
    kern::prepare_thread();
    const nn::Dataset data = nn::load_dataset(spec);
    nn::Workspace workspace;
    const nn::ParamSlab net = nn::fit_baseline(kern::cpu_kernels(), workspace, data, kind);
    return nn::evaluate(kern::cpu_kernels(), workspace, net, data.view(scored),
                        {"cross_entropy", {}})
        .accuracy;
  };
  const std::vector<BaselineRow> rows = reader("a").baselines();
  // Trees come behind them, where their library is installed.
  ASSERT_GE(rows.size(), nn::kBaselines.size());
  for (std::size_t i = 0; i < nn::kBaselines.size(); ++i) {
    const nn::Baseline kind = nn::kBaselines.at(i);
    double mean = 0;
    for (part.split.fold = 0; part.split.fold < kFolds; ++part.split.fold)
      mean += score(part, nn::Part::valid, kind) / kFolds;
    EXPECT_NEAR(metric_value(rows[i].metrics, "valid.accuracy"), mean, 1e-12) << rows[i].name;
    EXPECT_EQ(metric_value(rows[i].metrics, "test.accuracy"), score(whole, nn::Part::test, kind));
  }
}

TEST_F(Folds, BaselinesThatNobodyWaitsForAnyMoreAreCancelled) {
  const rt::Runtime runtime({.workers = 1});
  const LoadedStudy loaded = load_settled(folded());
  { const Baselines left(loaded); }
  const base::Moment given_up = base::now() + std::chrono::seconds(30);
  while (runtime.summary().cancelled == 0 && base::now() < given_up) {
    rt::poll();
    rt::wait_event(std::chrono::milliseconds(10));
  }
  EXPECT_GT(runtime.summary().cancelled, 0U);
}

TEST_F(Folds, TheLeastFileOfASmallTableIsFolded) {
  const StudySpec least =
      parse_study("data: {csv: rows.csv, target: kind}\ntrain: {epochs: 3}\nlimits: {trials: 3}\n",
                  "least.yaml", folder_.path().string());
  RunOptions options{.folder = folder_ / "least", .store = {}, .workers = 1};
  options.engine = Engine::sequential;
  Stopper never(0);
  const SweepResult result = run_sweep(least, options, never);
  ASSERT_TRUE(result.best);
  EXPECT_GE(metric_of(*result.best, "valid.accuracy.spread"), 0);
  const nn::Model model = nn::read_model(result.model->file.string());
  nn::DataSpec all{.path = (folder_ / "rows.csv").string(), .targets = {"kind"}};
  all.task = nn::LearningTask::classification;
  all.split.valid = 0;
  EXPECT_EQ(model.metadata.at("preprocessing"), nn::preprocessing_json(nn::load_dataset(all)));
}

TEST_F(Folds, APopulationIsRefused) {
  EXPECT_THROW((void)parse_study("data: {csv: rows.csv, target: kind, folds: 2}\n"
                                 "network: [dense: {units: 4}]\n"
                                 "train: {optimizer: {sgd: {lr: $lr}}, epochs: 4}\nmethod: pbt\n"
                                 "parameters: {lr: {min: 0.1, max: 0.2}}\n",
                                 "s.yaml", folder_.path().string()),
               base::Error);
  EXPECT_THROW((void)parse_study("data: {csv: rows.csv, target: kind, folds: 1}\n", "s.yaml",
                                 folder_.path().string()),
               base::Error);
}

TEST(MeanOfFolds, IsOfThoseThatHaveTheMetric) {
  const double none = std::nan("");
  const Metrics mean = mean_of({{{"valid.loss", 1}, {"valid.auc", none}, {"valid.f1", none}},
                                {{"valid.loss", 2}, {"valid.auc", 0.5}, {"valid.f1", none}},
                                {{"valid.loss", 6}, {"valid.auc", 0.75}, {"valid.f1", none}}});
  EXPECT_EQ(metric_value(mean, "valid.loss"), 3);
  EXPECT_EQ(metric_value(mean, "valid.auc"), 0.625);
  EXPECT_TRUE(std::isnan(metric_value(mean, "valid.f1")));
  const Metrics broken = mean_of(
      {{{"valid.loss", none}, {"valid.auc", none}}, {{"valid.loss", 2}, {"valid.auc", 0.5}}});
  EXPECT_TRUE(std::isnan(metric_value(broken, "valid.auc"))) << "a fold whose network broke";
}

TEST_F(Folds, AFoldWithoutTheMetricSpoilsNoTrial) {
  // Two of 90 rows to choose by are yes, so most folds have none.
  std::string rows = "a,b,kind\n";
  for (int i = 0; i < 120; ++i)
    rows += base::cat(i % 17, ",", i % 13, ",", i % 60 == 0 ? "yes" : "no", "\n");
  base::write_file_atomic(folder_ / "rows.csv", rows);
  StudySpec rare = parse_study(
      "name: small\ndata: {csv: rows.csv, target: kind, folds: 4}\nnetwork: [dense: {units: "
      "$width}]\n"
      "train: {epochs: 2}\nmetric: valid.auc\nmethod: random\nearly_stop: none\nparallel: 2\n"
      "parameters: {width: {type: int, min: 4, max: 40}}\nlimits: {trials: 3}\n",
      "small.yaml", folder_.path().string());
  RunOptions options{.folder = folder_ / "rare" / "small", .store = {}, .workers = 1};
  options.engine = Engine::sequential;
  Stopper never(0);
  const SweepResult result = run_sweep(rare, options, never);
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.counts.complete, 3);
  EXPECT_TRUE(std::isfinite(result.best->value.value()));
}

constexpr const char* kSchedule =
    "adapt: {policy: schedule, at: {1: {widen: {layer: dense1, by: 3}},"
    " 2.5: {shrink: {layer: dense1, by: 2}}}}\n";
/// The price is so low that growing pays where it helps at all: folds come to unlike sizes.
constexpr const char* kRace =
    "adapt: {policy: race, every: 1, length: 0.5, factor: 1.5, price: 1e-9, patience: 9}\n";

class AdaptingFolds : public Folds, public testing::WithParamInterface<const char*> {
 protected:
  AdaptingFolds() { more_ = GetParam(); }

  /// The rounds of a trial by fold.
  [[nodiscard]] std::map<std::int64_t, std::vector<Adapted>> rounds(const std::string& name,
                                                                    std::uint64_t trial) const {
    std::map<std::int64_t, std::vector<Adapted>> found;
    for (const EventRow& event : reader(name).events()) {
      if (event.kind != "adapted" || event.trial != trial) continue;
      auto round = std::get<Adapted>(body_of(event.kind, event.payload()));
      found[round.fold].push_back(std::move(round));
    }
    return found;
  }
};

TEST_P(AdaptingFolds, EachFoldFindsItsSizeAndTheMiddleOneIsWritten) {
  const SweepResult result = sweep("a");
  ASSERT_TRUE(result.model);
  const auto each = rounds("a", result.best->trial);
  EXPECT_FALSE(each.contains(0));
  std::vector<std::pair<double, std::string>> ends;
  for (const auto& [fold, own] : each) {
    EXPECT_LE(fold, kFolds);
    for (std::size_t i = 1; i < own.size(); ++i) EXPECT_GE(own[i].from, own[i - 1].until);
    ends.emplace_back(own.back().accepted().inference_flops, own.back().accepted().shape);
  }
  ASSERT_EQ(ends.size(), std::size_t{kFolds});
  std::ranges::stable_sort(ends, {}, [](const auto& end) { return end.first; });
  const std::string middle = ends[(kFolds - 1) / 2].second;
  const nn::Model model = nn::read_model(result.model->file.string());
  EXPECT_EQ(nn::shape_text(model.net.spec()), middle);
  for (const EventRow& event : reader("a").events()) {
    if (event.kind != "reported" || event.trial != result.best->trial) continue;
    const auto report = std::get<Reported>(body_of(event.kind, event.payload()));
    if (report.epochs != result.best->epochs) continue;
    EXPECT_EQ(report.shape, middle);
    EXPECT_EQ(report.weights, nn::weight_count(model.net.spec()));
  }
}

TEST_P(AdaptingFolds, IsTheSameOnAnyNumberOfWorkersAndAfterStops) {
  const SweepResult whole = sweep("a");
  const std::string expected = export_csv(reader("a"));
  const std::string tried = candidates_csv(candidates_of(reader("a")));
  EXPECT_NE(tried.find(",operations,fold\n"), std::string::npos);
  const auto same = [&](const std::string& name) {
    EXPECT_EQ(export_csv(reader(name)), expected) << name;
    EXPECT_EQ(candidates_csv(candidates_of(reader(name))), tried) << name;
    EXPECT_EQ(base::read_file(folder_ / name / "small" / "best.safetensors"),
              base::read_file(whole.model->file))
        << name;
  };
  for (const int workers : {1, 2}) {
    const std::string name = base::cat("workers", workers);
    (void)sweep(name, Engine::starpu_cpu, workers);
    same(name);
  }
  for (const int reports : {1, 3, 5}) {
    const std::string name = base::cat("stopped", reports);
    Stopper stopper(reports);
    EXPECT_EQ(sweep(name, Engine::sequential, 1, stopper).ending, Ending::interrupted);
    EXPECT_EQ(sweep(name).ending, Ending::done);
    same(name);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, AdaptingFolds,
                         testing::Values(kSchedule, kRace, "adapt: auto\n"));

}  // namespace
}  // namespace hpo
