// What a file says, what it leaves out, and what a command line puts in its place.

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "base/text.h"
#include "hpo/space/share.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

using Int = std::int64_t;

class Load : public StudyTest {};

constexpr const char* kFull = R"(
name: digits
seed: 7
data:
  {csv: rows.csv, target: y, split: {valid: 0.3, test: 0.1}, scale: minmax, header: true,
   ignore: [a]}
network:
  - dense: {units: $width, activation: relu}
  - dense: {name: last, units: $width}
train:
  loss: cross_entropy
  optimizer: {type: $optimizer, lr: $lr, momentum: $momentum}
  batch: $batch
  epochs: 9
metric: {name: valid.loss, take: best}
method: random
parameters:
  lr:    {min: 1e-4, max: 1e-1, scale: log}
  width: {type: int, min: 16, max: 256, scale: log}
  batch: {values: [16, 32, 64]}
  optimizer: {values: [adam, sgd]}
  momentum: {min: 0, max: 0.99, when: {optimizer: [sgd]}}
early_stop: {type: asha, min: 2, eta: 4}
parallel: 3
order: arrival
limits: {trials: 1e3, time: 1h30m, trial_time: 500ms, failed: 5}
resources: {cpus: 2, gpus: 0.5, memory: 2GB}
retry: {max: 1, on: [error, out_of_memory]}
)";

TEST_F(Load, EverythingThatIsSaid) {
  const StudySpec study = load(kFull);
  EXPECT_EQ(study.name, "digits");
  EXPECT_EQ(study.seed, 7U);
  EXPECT_EQ(study.metric, (Metric{"valid.loss", Goal::minimize, Take::best}));
  EXPECT_EQ(study.method, (Chosen{"random", {}}));
  EXPECT_EQ(study.early_stop,
            (Chosen{"asha", {{"min", Int{2}}, {"eta", Int{4}}, {"promote", false}}}));
  EXPECT_EQ(study.max_epochs, 9);
  EXPECT_EQ(study.parallel, 3);
  EXPECT_EQ(study.order, Order::arrival);
  EXPECT_EQ(study.limits, (Limits{1000, 5400.0, 0.5, 5}));
  EXPECT_EQ(study.retry, (Retry{1, {Cause::error, Cause::out_of_memory}}));
  const Space expected({{"lr", FloatRange{1e-4, 1e-1, Scale::log, 0}, {}},
                        {"width", IntRange{16, 256, Scale::log, 1}, {}},
                        {"batch", Choice{{Int{16}, Int{32}, Int{64}}, true}, {}},
                        {"optimizer", Choice{{std::string("adam"), std::string("sgd")}}, {}},
                        {"momentum", FloatRange{0, 0.99}, {{"optimizer", {std::string("sgd")}}}}});
  EXPECT_EQ(study.space, expected);
}

TEST_F(Load, TheLeastFileHasASearch) {
  const StudySpec study = load("data: {csv: rows.csv, target: y}");
  EXPECT_EQ(study.name, "study");
  EXPECT_EQ(study.seed, 0U);
  EXPECT_EQ(study.metric.name, "");  // only the data can tell
  EXPECT_EQ(study.method.kind, "tpe");
  EXPECT_EQ(study.early_stop.kind, "asha");
  EXPECT_EQ(study.max_epochs, 81);
  EXPECT_EQ(study.limits.trials, 60);
  EXPECT_EQ(study.parallel, 8);
  EXPECT_EQ(study.order, Order::virtual_time);
  EXPECT_EQ(study.space.size(), 5U);
  EXPECT_NE(study.space.find("width"), nullptr);
}

TEST_F(Load, WithoutParametersThereIsOneTrial) {
  const StudySpec study = load_table("network: []\n");
  EXPECT_TRUE(study.space.empty());
  EXPECT_EQ(study.limits.trials, 1);
  EXPECT_EQ(study.early_stop.kind, "none");
}

TEST_F(Load, AGridEndsByItself) {
  const StudySpec study = load_table(
      "method: grid\ntrain: {epochs: $epochs}\nparameters:\n  epochs: {values: [1, 2, 5]}\n");
  EXPECT_EQ(study.limits.trials, std::nullopt);
  EXPECT_EQ(study.early_stop.kind, "none");
  EXPECT_EQ(study.max_epochs, 5);
  EXPECT_EQ(study.space.grid_size(), 3U);
}

TEST_F(Load, ALargeGridNeedsAnEnd) {
  const std::string grid =
      "method: grid\nmetric: {name: loss, goal: minimize}\n"
      "parameters: {a: {min: 1, max: 1001}, b: {min: 1, max: 1000}}\n";
  const std::string program = "command: [\"true\", $args]\n";
  EXPECT_THROW((void)load(program + grid), base::Error);
  EXPECT_EQ(load(program + grid + "limits: {trials: 2000000}\n").limits.trials, 2'000'000);
  EXPECT_EQ(load(program + grid + "forbid: [{b: 1000}]\n").space.grid_size(), 999'999U);
  EXPECT_THROW((void)load(grid), base::Error) << "whoever asks for trials may not see its size";
  EXPECT_EQ(load(grid + "limits: {trials: 5000}\n").space.grid_size(), 1'001'000U);
}

TEST_F(Load, OverridesReplaceWhatTheFileSays) {
  const StudySpec study = load(kFull, {.name = "other", .seed = 11});
  EXPECT_EQ(study.name, "other");
  EXPECT_EQ(study.seed, 11U);
  EXPECT_NE(resolved_yaml(study).find("name: other\nseed: 11\n"), std::string::npos);
  for (const Overrides& bad :
       {Overrides{"../up", {}}, Overrides{{}, (std::uint64_t{1} << 53) + 1}}) {
    try {
      (void)load(kFull, bad);
      ADD_FAILURE();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::Errc::usage);
    }
  }
}

TEST_F(Load, TypesOfParametersFollowTheirLiterals) {
  const StudySpec study = load_table(R"(
train: {optimizer: {sgd: {lr: $a, momentum: $b, weight_decay: $c}}, batch: $d, epochs: $e}
parameters:
  a: {min: 1, max: 2.0}
  b: {values: [0, 0.5]}
  c: {type: float, min: 1, max: 3, step: 1}
  d: {type: int, min: 1e1, max: 1e2}
  e: {value: 3}
)");
  EXPECT_EQ(study.space.find("a")->domain, Domain(FloatRange{1, 2}));
  EXPECT_EQ(study.space.find("b")->domain, Domain(Choice{{0.0, 0.5}}));
  EXPECT_EQ(study.space.find("c")->domain, Domain(FloatRange{1, 3, Scale::linear, 1}));
  EXPECT_EQ(study.space.find("d")->domain, Domain(IntRange{10, 100}));
  EXPECT_EQ(study.space.find("e")->domain, Domain(Constant{Int{3}}));
  EXPECT_EQ(study.max_epochs, 3);
}

/// A study whose program takes one parameter, `x`.
std::string commanded(const std::string& x) {
  return "command: [sh, $x]\nmetric: {name: loss, goal: minimize}\nparameters: {x: " + x + "}\n";
}

TEST_F(Load, NumbersThatRiseOrFallAreOrderedAndOtherListsWhenTheySaySo) {
  const std::pair<const char*, bool> lists[] = {
      {"{values: [8, 64, 128]}", true},
      {"{values: [1e-2, 1e-3, 1e-4]}", true},
      {"{values: [8, 128, 64]}", false},
      {"{values: [8, 64]}", false},
      {"{values: [8, 64, 128], ordered: false}", false},
      {"{values: [small, medium, large]}", false},
      {"{values: [small, medium, large], ordered: true}", true},
      {"{values: [false, true]}", false}};
  for (const auto& [text, ordered] : lists) {
    const StudySpec study = load(commanded(text));
    EXPECT_EQ(std::get<Choice>(study.space.find("x")->domain).ordered, ordered) << text;
  }
}

TEST_F(Load, APriorsBoundsLieSixDeviationsAwayWhereTheyAreLeftOut) {
  const std::pair<const char*, Domain> priors[] = {
      {"{mean: 0, deviation: 1}", FloatRange{-6, 6, Scale::linear, 0, Normal{0, 1}}},
      {"{mean: 0.1, deviation: 0.05, min: 0}",
       FloatRange{0, 0.4, Scale::linear, 0, Normal{0.1, 0.05}}},
      {"{mean: 1e-3, deviation: 10, scale: log, max: 1}",
       FloatRange{1e-9, 1, Scale::log, 0, Normal{1e-3, 10}}},
      {"{mean: 0.5, deviation: 0.1, step: 0.25}",
       FloatRange{0, 1, Scale::linear, 0.25, Normal{0.5, 0.1}}},
      {"{type: int, mean: 64.4, deviation: 2}",
       IntRange{52, 76, Scale::linear, 1, Normal{64.4, 2}}},
      {"{type: int, mean: 64, deviation: 2, scale: log}",
       IntRange{1, 4096, Scale::log, 1, Normal{64, 2}}},
      {"{type: int, mean: 64, deviation: 10, step: 8, min: 8}",
       IntRange{8, 120, Scale::linear, 8, Normal{64, 10}}}};
  for (const auto& [text, domain] : priors) {
    const StudySpec study = load(commanded(text));
    EXPECT_EQ(study.space.find("x")->domain, domain)
        << text << ": " << describe(study.space.find("x")->domain);
    EXPECT_EQ(load(resolved_yaml(study)).space, study.space);
  }
}

constexpr const char* kPipeline = R"(
command: [sh, $args]
metric: {name: loss, goal: minimize}
parameters:
  scale: {values: [none, standard]}
  model:
    when: {scale: standard}
    choice:
      line:
      svm:
        c: {min: 1e-3, max: 1e3, scale: log}
        kernel: {choice: {linear: , rbf: {gamma: {min: 0.1, max: 1.0}}}}
      forest:
        c: {min: 1e-3, max: 1e3, scale: log}
        trees: {min: 10, max: 500, when: {scale: standard}}
)";

TEST_F(Load, AChoiceIsShortForConditions) {
  const StudySpec study = load(kPipeline);
  using Words = std::vector<ParamValue>;
  const auto words = [](std::initializer_list<const char*> list) {
    Words all;
    for (const char* word : list) all.emplace_back(std::string(word));
    return all;
  };
  const Space expected(
      {{"scale", Choice{words({"none", "standard"})}, {}},
       {"model", Choice{words({"line", "svm", "forest"})}, {{"scale", words({"standard"})}}},
       {"c", FloatRange{1e-3, 1e3, Scale::log, 0}, {{"model", words({"svm", "forest"})}}},
       {"kernel", Choice{words({"linear", "rbf"})}, {{"model", words({"svm"})}}},
       {"gamma", FloatRange{0.1, 1}, {{"kernel", words({"rbf"})}}},
       {"trees",
        IntRange{10, 500},
        {{"scale", words({"standard"})}, {"model", words({"forest"})}}}});
  EXPECT_EQ(study.space, expected);
  EXPECT_EQ(load(resolved_yaml(study)).space, expected);
  EXPECT_EQ(
      study.space.active({{"scale", std::string("standard")}, {"model", std::string("line")}}),
      (std::vector<std::size_t>{0, 1}));
}

TEST_F(Load, ForbiddenCombinationsAreReadWithTheTypesOfTheirParameters) {
  const StudySpec study = load(R"(
command: [sh, $args]
metric: {name: loss, goal: minimize}
parameters:
  optimizer: {values: [sgd, adam, adamw]}
  lr: {min: 0.0, max: 1.0}
  width1: {min: 1, max: 9}
  width2: {min: 1, max: 9}
forbid:
  - {optimizer: [adam, adamw], lr: {above: 0.1, below: 1}}
  - {width2: {above: $width1}}
  - {width2: $width1, lr: 1}
try_first:
  - {optimizer: sgd, lr: 1}
)");
  using Is = Clause::Is;
  const std::vector<Forbidden> expected{
      {{{"optimizer", Is::equal, {std::string("adam"), std::string("adamw")}},
        {"lr", Is::above, {0.1}},
        {"lr", Is::below, {Int{1}}}}},
      {{{"width2", Is::above, {}, "width1"}}},
      {{{"width2", Is::equal, {}, "width1"}, {"lr", Is::equal, {1.0}}}}};
  EXPECT_EQ(study.space.forbidden(), expected);
  EXPECT_EQ(load(resolved_yaml(study)).space, study.space);
}

TEST_F(Load, ForbiddenCombinationsDoNotMakeItSlow) {
  constexpr int kParameters = 60;
  std::string text = "metric: {name: score, goal: maximize}\nparameters:\n", forbid = "forbid:\n";
  for (int i = 0; i < kParameters; ++i) {
    text += base::cat("  p", i, ": {min: 0.0, max: 1.0}\n");
    forbid +=
        base::cat("  - {p", i, ": {above: 0.8}, p", (i + 1) % kParameters, ": {above: 0.8}}\n");
  }
  const StudySpec study = load(text + forbid);
  const std::clock_t begun = std::clock();
  (void)load(text + forbid);
  const std::clock_t loaded = std::clock();
  EXPECT_GT(allowed_share(study.space), 0);
  EXPECT_LT(2 * (loaded - begun), std::clock() - loaded);
}

TEST_F(Load, ConditionsTakeTheTypeOfTheirParameter) {
  const StudySpec study = load_table(R"(
train: {optimizer: {sgd: {lr: $a, momentum: $b}}}
parameters:
  a: {values: [0.5, 1.0]}
  b: {min: 0.1, max: 0.2, when: {a: 1}}
)");
  EXPECT_EQ(study.space.find("b")->when, (std::vector<Condition>{{"a", {1.0}}}));
}

TEST_F(Load, AParameterMayDoNothingButSteerOthers) {
  const StudySpec study = load_table(R"(
train: {optimizer: {sgd: {momentum: $m}}}
parameters:
  fast: {values: [true, false]}
  m: {min: 0.1, max: 0.2, when: {fast: true}}
)");
  EXPECT_EQ(study.space.find("m")->when[0].values[0], ParamValue(true));
}

TEST_F(Load, TheTaskFollowsFromLossOrMetric) {
  EXPECT_EQ(load_table("train: {loss: mse}\n").metric.name, "valid.rmse");
  EXPECT_EQ(load_table("train: {loss: mse}\n").metric.goal, Goal::minimize);
  EXPECT_EQ(load_table("metric: valid.r2\n").metric.goal, Goal::maximize);
  EXPECT_EQ(load_table("train: {loss: cross_entropy}\n").metric,
            (Metric{"valid.accuracy", Goal::maximize}));
  EXPECT_EQ(data_spec(load_table("metric: valid.mae\n"), {}).task, nn::LearningTask::regression);
}

TEST_F(Load, PathsStartAtTheStudyFile) {
  base::write_file_atomic(folder_ / "mine.yaml",
                          "data: {csv: rows.csv, target: y}\ntrain: {epochs: 1}\n");
  const StudySpec study = load_study((folder_ / "mine.yaml").string());
  EXPECT_EQ(study.name, "mine");
  EXPECT_EQ(study.folder, folder_.path().string());
  EXPECT_EQ(data_spec(study, {}).path, (folder_ / "rows.csv").string());
}

TEST_F(Load, OfAListThePathThatExistsIsTaken) {
  const StudySpec study =
      load("data: {csv: [nobody.csv, rows.csv, other.csv], target: y}\ntrain: {epochs: 1}\n");
  EXPECT_EQ(data_spec(study, {}).path, (folder_ / "rows.csv").string());
}

TEST_F(Load, AMissingOrHugeFileIsToldApart) {
  try {
    (void)load_study((folder_ / "nobody.yaml").string());
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::storage);
  }
  base::write_file_atomic(folder_ / "huge.yaml", std::string((1U << 20) + 1, '#'));
  try {
    (void)load_study((folder_ / "huge.yaml").string());
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::Errc::study);
    EXPECT_NE(std::string(error.what()).find("huge.yaml:1:1: the file has 1048577 bytes"),
              std::string::npos);
  }
}

TEST_F(Load, AFileWithALongNameIsOfferedWhatANameMayHave) {
  const std::string most(64, 'n');
  const auto said = [&](const std::string& stem) -> std::string {
    try {
      (void)parse_study(table(), stem + ".yaml", folder_.path().string());
    } catch (const base::Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(said(most), "accepted");
  EXPECT_NE(said(most + "n").find("add name: " + most + " to the file"), std::string::npos)
      << said(most + "n");
}

TEST_F(Load, DollarsCanBeEscaped) {
  const StudySpec study = load("data: {csv: rows.csv, target: $$price}\ntrain: {epochs: 1}\n");
  EXPECT_EQ(data_spec(study, {}).targets, std::vector<std::string>{"$price"});
}

TEST(Experiments, AreWhatTheySay) {
  const std::string folder = TRELLIS_ROOT "/experiments/";
  const StudySpec digits = load_study(folder + "digits.yaml");
  EXPECT_EQ(digits.limits.trials, 60);
  EXPECT_EQ(digits.max_epochs, 27);
  EXPECT_EQ(digits.parallel, 8);
  EXPECT_EQ(digits.early_stop,
            (Chosen{"asha", {{"min", Int{1}}, {"eta", Int{3}}, {"promote", false}}}));

  support::TempFolder data;
  std::filesystem::create_directory(data / "mnist");
  setenv("TRELLIS_DATA", data.path().c_str(), 1);
  const StudySpec grid = load_study(folder + "mnist-grid.yaml");
  unsetenv("TRELLIS_DATA");
  EXPECT_EQ(grid.space.grid_size(), 27U);
  EXPECT_EQ(grid.max_epochs, 5);
  EXPECT_EQ(data_spec(grid, grid.space.grid_point(0)).path, (data / "mnist").string());
  const DataInfo mnist{nn::Shape::image(28, 28, 1), 10, nn::LearningTask::classification};
  const TrialSpec trial = materialise(grid, grid.space.grid_point(26), mnist);
  EXPECT_EQ(nn::weight_count(trial.model), 1'199'882U);  // as published
  EXPECT_EQ(trial.hyper.optimizer.kind, "rmsprop");
  EXPECT_EQ(trial.hyper.batch, 128);
  EXPECT_EQ(trial.epochs, 5);
}

}  // namespace
}  // namespace hpo
