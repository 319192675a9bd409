// materialise and settle: from a study and one trial's params to a model and how it is trained.

#include <gtest/gtest.h>

#include <filesystem>

#include "hpo/study/beginnings.h"
#include "hpo/study/gpus.h"
#include "nn/optimizers/stale.h"
#include "nn/training/augment.h"
#include "nn/training/train.h"
#include "runtime/codec.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

using Int = std::int64_t;

class Trial : public StudyTest {
 protected:
  StudySpec search_ = load_table(R"(
network:
  - dense: {units: $width, activation: tanh}
train:
  optimizer: {type: $optimizer, lr: $lr, momentum: $momentum, beta1: 0.8}
  batch: $batch
  epochs: 9
parameters:
  lr: {min: 1e-4, max: 1e-1, scale: log}
  width: {min: 16, max: 256}
  batch: {values: [16, 32]}
  optimizer: {values: [adam, sgd]}
  momentum: {min: 0.0, max: 0.99, when: {optimizer: sgd}}
)");
  Params adam_{
      {"lr", 0.01}, {"width", Int{32}}, {"batch", Int{16}}, {"optimizer", std::string("adam")}};
  Params sgd_{{"lr", 0.01},
              {"width", Int{32}},
              {"batch", Int{32}},
              {"optimizer", std::string("sgd")},
              {"momentum", 0.9}};
};

TEST_F(Trial, PutsValuesInTheirPlaces) {
  const TrialSpec trial = materialise(search_, sgd_, classes(4, 3));
  EXPECT_TRUE(nn::describe(trial.model).starts_with("4 -> dense dense1 32 tanh -> dense output 3"));
  EXPECT_EQ(trial.hyper.loss.kind, "cross_entropy");
  EXPECT_EQ(trial.hyper.optimizer.kind, "sgd");
  EXPECT_EQ(nn::real(trial.hyper.optimizer.fields, "lr"), 0.01);
  EXPECT_EQ(nn::real(trial.hyper.optimizer.fields, "momentum"), 0.9);
  EXPECT_EQ(trial.hyper.batch, 32);
  EXPECT_EQ(trial.hyper.shards, 0);
  EXPECT_EQ(trial.hyper.shuffle, 0U);
  EXPECT_EQ(trial.epochs, 9);
  EXPECT_EQ(trial.resources, TrialResources{});
}

TEST_F(Trial, ANetworkThatFindsItsSizeIsBornWithTheSizesOfThePolicy) {
  const auto born = [&](const std::string& adapt, int width) {
    return materialise(load_table(base::cat("network: [dense: {units: ", width,
                                            "}]\ntrain: {epochs: 9}\n", "adapt: ", adapt, "\n")),
                       {}, classes(4, 3))
        .model;
  };
  for (const char* adapt : {"auto", "true", "{policy: auto}"}) {
    EXPECT_EQ(born(adapt, 512), born("auto", 7)) << adapt;
    EXPECT_TRUE(nn::describe(born(adapt, 7)).starts_with("4 -> dense dense1 32 relu")) << adapt;
  }
  for (const char* adapt : {"race", "false"})
    EXPECT_TRUE(nn::describe(born(adapt, 7)).starts_with("4 -> dense dense1 7 relu")) << adapt;
}

TEST_F(Trial, AChosenKindTakesOnlyItsOwnFields) {
  const nn::Choice adam = materialise(search_, adam_, classes(4, 3)).hyper.optimizer;
  EXPECT_EQ(nn::real(adam.fields, "beta1"), 0.8);
  EXPECT_EQ(nn::real(adam.fields, "beta2"), 0.999);
  EXPECT_FALSE(adam.fields.contains("momentum"));
  const nn::Choice sgd = materialise(search_, sgd_, classes(4, 3)).hyper.optimizer;
  EXPECT_FALSE(sgd.fields.contains("beta1"));
}

TEST_F(Trial, EqualWorkIsEqual) {
  EXPECT_EQ(materialise(search_, adam_, classes(4, 3)), materialise(search_, adam_, classes(4, 3)));
  EXPECT_NE(materialise(search_, adam_, classes(4, 3)), materialise(search_, sgd_, classes(4, 3)));
  const DataInfo data = classes(4, 3);
  EXPECT_EQ(rt::decode<DataInfo>(rt::encode(data)), data);
}

TEST_F(Trial, WhatAnotherTrialHadChangesNothing) {
  Params wider = adam_, slower = sgd_;
  wider.set("width", Int{64});
  slower.set("lr", 0.001);
  const StudySpec weights = load_table(R"(
train: {loss: {cross_entropy: {class_weights: $w}}, batch: $b, clip: $c}
network: [dense: {units: 8}]
parameters:
  w: {values: [none, balanced]}
  b: {values: [8, 16]}
  c: {min: 0.5, max: 2.0, when: {w: balanced}}
)");
  const std::vector<Params> weighed{{{"w", std::string("none")}, {"b", Int{8}}},
                                    {{"w", std::string("balanced")}, {"b", Int{8}}, {"c", 1.0}},
                                    {{"w", std::string("balanced")}, {"b", Int{16}}, {"c", 1.5}}};
  const auto expect_alike = [](const StudySpec& study, const std::vector<Params>& trials) {
    for (const Params& before : trials) {
      const TrialSpec like = materialise(study, before, classes(4, 3));
      for (const Params& params : trials)
        EXPECT_EQ(materialise(study, params, classes(4, 3), &like),
                  materialise(study, params, classes(4, 3)));
    }
  };
  expect_alike(search_, {adam_, sgd_, wider, slower});
  expect_alike(weights, weighed);
  EXPECT_EQ(materialise(weights, weighed[0], classes(4, 3)).hyper.clip, 0);
  EXPECT_EQ(materialise(weights, weighed[2], classes(4, 3)).hyper.clip, 1.5);
}

TEST_F(Trial, TheDataDecidesWhatTheFileLeavesOpen) {
  const StudySpec open = load_table("network: []\n");
  EXPECT_EQ(open.metric.name, "");
  const StudySpec labels = settle(open, classes(2, 3));
  EXPECT_EQ(labels.metric, (Metric{"valid.accuracy", Goal::maximize}));
  const DataInfo number{nn::Shape::features(2), 1, nn::LearningTask::regression};
  const StudySpec numbers = settle(open, number);
  EXPECT_EQ(numbers.metric, (Metric{"valid.rmse", Goal::minimize}));
  EXPECT_EQ(data_spec(numbers, {}).task, nn::LearningTask::regression);
  EXPECT_EQ(materialise(open, {}, number).hyper.loss.kind, "mse");
  EXPECT_EQ(resolved_yaml(settle(numbers, number)), resolved_yaml(numbers));
  const StudySpec loss = settle(load_table("metric: valid.loss\n"), classes(2, 3));
  EXPECT_EQ(loss.metric, (Metric{"valid.loss", Goal::minimize}));
}

TEST_F(Trial, ATableOfFewRowsIsFoldedWhereTheSearchIsLeftOpen) {
  const auto folds = [&](const std::string& text, Int rows) {
    DataInfo data = classes(2, 3);
    data.rows = rows;
    const StudySpec settled = settle(load(text), data);
    EXPECT_EQ(resolved_yaml(settle(settled, data)), resolved_yaml(settled));
    return data_spec(settled, settled.space.middle()).split.folds;
  };
  const std::string least = "data: {csv: rows.csv, target: y}\n";
  EXPECT_EQ(folds(least, 19), 0);
  EXPECT_EQ(folds(least, 20), 5);
  EXPECT_EQ(folds(least, 3999), 5);
  EXPECT_EQ(folds(least, 4000), 0);
  EXPECT_EQ(folds(least + "train: {epochs: 20, batch: 8}\n", 500), 5);
  EXPECT_EQ(folds(least + "network: [dense: {units: 4}]\n", 500), 0);
  EXPECT_EQ(folds(least + "train: {optimizer: sgd}\n", 500), 0);
  EXPECT_EQ(folds(least + "method: pbt\n", 500), 0);
  EXPECT_EQ(folds(least + "adapt: {policy: race}\n", 500), 0);
  EXPECT_EQ(folds("data: {csv: rows.csv, target: y, folds: 3}\n", 500), 3);
  EXPECT_EQ(folds("data: {csv: rows.csv, target: y, folds: auto}\nnetwork: []\n", 500), 5);
  EXPECT_EQ(folds("data: {csv: rows.csv, target: y, split: {time: a}}\n", 500), 0);
  EXPECT_EQ(folds("data: {csv: rows.csv, target: y, split: {group: a}}\n", 500), 0);
}

TEST_F(Trial, WhatTrainSaysLeavesTheRestOfTheSearchOpen) {
  const StudySpec shorter = load_table("train: {epochs: 20}\n");
  EXPECT_EQ(shorter.space, load_table("").space);
  EXPECT_EQ(shorter.max_epochs, 20);
  EXPECT_EQ(*shorter.early_stop.options.find("min"), ParamValue(Int{2}));
  const StudySpec batch = load_table("train: {batch: 8}\n");
  EXPECT_EQ(batch.space.find("batch"), nullptr);
  EXPECT_NE(batch.space.find("lr"), nullptr);
  EXPECT_EQ(materialise(batch, batch.space.middle(), classes(2, 3)).hyper.batch, 8);
  EXPECT_EQ(load_table("train: {optimizer: sgd}\n").space.size(), 0U);
}

TEST_F(Trial, DataOfTheOtherKindIsRefused) {
  const StudySpec labels = load_table("metric: valid.accuracy\ntrain: {epochs: 1}\n");
  const DataInfo number{nn::Shape::features(2), 1, nn::LearningTask::regression};
  try {
    (void)settle(labels, number);
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(),
                 "study.yaml:2:9: metric valid.accuracy is for classification, but the target "
                 "holds numbers; both must be for the same task; data.task: classification makes a "
                 "class of each number");
  }
}

/// The message of a study that some data does not fit.
std::string misfit(const StudySpec& study, const DataInfo& data) {
  try {
    (void)materialise(study, {}, data);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST_F(Trial, ALossBringsItsWeightsAndItsOutputs) {
  const StudySpec study = load_table(
      "train: {loss: {cross_entropy: {class_weights: {\"a: b\": 2.5, yes: 1}, label_smoothing: "
      "0.1}}}\nnetwork: []\n");
  DataInfo data = classes(4, 3);
  data.class_names = {"a: b", "no", "yes"};
  const nn::Hyper hyper = materialise(study, {}, data).hyper;
  EXPECT_EQ(nn::real(hyper.loss.fields, "label_smoothing"), 0.1);
  EXPECT_EQ(hyper.loss.fields.at("class_weights"),
            nn::FieldValue(nn::NumberByName{{"a: b", 2.5}, {"yes", 1}}));
  EXPECT_EQ(rt::decode<nn::Hyper>(rt::encode(hyper)), hyper);
  const std::string resolved = resolved_yaml(study);
  EXPECT_EQ(resolved_yaml(load(resolved)), resolved);
  EXPECT_EQ(materialise(load(resolved), {}, data).hyper, hyper);

  const StudySpec bce = load_table("train: {loss: bce}\nnetwork: []\n");
  EXPECT_EQ(nn::output_shape(materialise(bce, {}, classes(4, 2)).model), nn::Shape::features(1));
  EXPECT_EQ(misfit(bce, classes(4, 3)),
            "study.yaml:2:15: loss bce is for two classes, the target has 3; use cross_entropy");
}

TEST_F(Trial, ClassWeightsNameClasses) {
  const StudySpec study = load_table(
      "train: {loss: {cross_entropy: {class_weights: {setosa: 1, virginca: 2}}}}\nnetwork: []\n");
  DataInfo data = classes(4, 3);
  EXPECT_EQ(misfit(study, data), "accepted");  // the names are not known yet
  data.class_names = {"setosa", "versicolor", "virginica"};
  EXPECT_EQ(misfit(study, data),
            "study.yaml:2:59: the target has no class \"virginca\", expected one of its 3 classes; "
            "did you mean \"virginica\"?");
}

TEST_F(Trial, ClassWeightsCanBeSearched) {
  const StudySpec study = load_table(R"(
train: {loss: {cross_entropy: {class_weights: $w}}}
parameters: {w: {values: [none, balanced]}}
)");
  EXPECT_EQ(materialise(study, Params{{"w", std::string("balanced")}}, classes(4, 3))
                .hyper.loss.fields.at("class_weights"),
            nn::FieldValue("balanced"));
  const StudySpec one = load_table(R"(
train: {loss: {cross_entropy: {class_weights: {rare: $w}}}}
parameters: {w: {min: 1.0, max: 9.0}}
)");
  EXPECT_EQ(
      materialise(one, Params{{"w", 4.0}}, classes(4, 3)).hyper.loss.fields.at("class_weights"),
      nn::FieldValue(nn::NumberByName{{"rare", 4}}));
}

TEST_F(Trial, ClipAndAugmentReachTheTraining) {
  const nn::Hyper plain = materialise(load_table("network: []\n"), {}, classes(4, 2)).hyper;
  EXPECT_EQ(plain.clip, 0);
  EXPECT_FALSE(nn::moves(plain.augment));
  const std::string train =
      "train: {clip: 1.5, augment: {shift: 2, flip: horizontal}}\nnetwork: [flatten]\n";
  std::filesystem::create_directory(folder_.path() / "images");
  const StudySpec study = load("data: {idx: images}\n" + train);
  DataInfo images = classes(4, 2);
  images.input = nn::Shape::image(8, 8, 1);
  const nn::Hyper hyper = materialise(study, {}, images).hyper;
  EXPECT_EQ(hyper.clip, 1.5);
  EXPECT_EQ(hyper.augment, (nn::Augment{2, nn::Flip::horizontal}));
  EXPECT_EQ(refusal(table() + train),
            "study.yaml:2:29: train.augment moves images, but the data has none; remove "
            "shift and flip");
}

TEST_F(Trial, RepeatedLayersAreWrittenOut) {
  const StudySpec study = load_table(R"(
network:
  - repeat: {times: $depth, of: [dense: {units: 8, name: fc}, dense: {units: 4}]}
  - repeat: {times: 2, of: [repeat: {times: 2, of: [{type: dense, units: 3, name: in}]}]}
parameters:
  depth: {min: 0, max: 3}
)");
  const auto layers = [&](Int depth) {
    std::string text;
    for (const auto& layer :
         materialise(study, Params{{"depth", depth}}, classes(2, 2)).model.layers)
      text += layer.name + " ";
    return text;
  };
  EXPECT_EQ(layers(0), "in1_1 in1_2 in2_1 in2_2 output ");
  EXPECT_EQ(layers(2), "fc1 dense2 fc2 dense4 in1_1 in1_2 in2_1 in2_2 output ");
}

TEST_F(Trial, ResidualBlocksAreWrittenOut) {
  const StudySpec study = load_table(R"(
network:
  - dense: {units: $width, name: stem}
  - repeat:
      times: 2
      of:
        - residual:
            name: block
            activation: relu
            of:
              - dense: {units: 3, activation: none}
              - batch_norm: {activation: relu}
              - residual: {of: [dense: {units: 3, name: deep}]}
              - dense: {units: $width}
parameters:
  width: {min: 2, max: 9}
)");
  const auto model = materialise(study, Params{{"width", Int{5}}}, classes(2, 2)).model;
  EXPECT_EQ(nn::describe(model),
            "2 -> dense stem 5 relu -> block1 [dense dense2 3 none -> batch_norm batch_norm1 0.1 "
            "1e-05 relu -> residual2 [dense deep1 3 relu] + input -> dense dense4 5 relu] + input "
            "relu -> block2 [dense dense5 3 none -> batch_norm batch_norm2 0.1 1e-05 relu -> "
            "residual4 [dense deep2 3 relu] + input -> dense dense7 5 relu] + input relu -> dense "
            "output 2 none");
}

TEST_F(Trial, TheKindOfALayerCanBeAParameter) {
  const StudySpec study = load("data: {idx: " + folder_.path().string() + R"(}
network:
  - {type: $first, units: $units, kernel: 3, padding: same}
parameters:
  first: {values: [conv2d, max_pool]}
  units: {min: 2, max: 4, when: {first: conv2d}}
)");
  const DataInfo image{nn::Shape::image(8, 8, 1), 10, nn::LearningTask::classification};
  const auto conv =
      materialise(study, Params{{"first", std::string("conv2d")}, {"units", Int{3}}}, image);
  EXPECT_EQ(conv.model.layers[0].kind, "conv2d");
  const auto pool = materialise(study, Params{{"first", std::string("max_pool")}}, image);
  EXPECT_EQ(pool.model.layers[0].kind, "max_pool");
}

TEST_F(Trial, ANetworkThatDoesNotFitIsPointedAt) {
  const StudySpec study = load("data: {idx: " + folder_.path().string() + R"(}
network:
  - conv2d: {units: 3, kernel: $kernel}
  - max_pool
  - dense: {units: 3}
parameters:
  kernel: {values: [3, 9]}
)");
  const DataInfo image{nn::Shape::image(8, 8, 1), 10, nn::LearningTask::classification};
  const auto message = [&](Int kernel) -> std::string {
    try {
      (void)materialise(study, Params{{"kernel", kernel}}, image);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_TRUE(message(9).starts_with("study.yaml:3:32: layer 1 \"conv2d1\" (conv2d): "))
      << message(9);
  EXPECT_TRUE(
      message(3).starts_with("study.yaml:5:5: layer 3 \"dense1\" (dense): dense needs features"))
      << message(3);
}

TEST_F(Trial, ShardsAreLeftToTheNetworkUnlessTheyAreGiven) {
  const auto shards = [&](const std::string& train) {
    const StudySpec study = load_table("network: [dense: {units: 16}]\ntrain: " + train + "\n");
    return materialise(study, {}, classes(8, 10)).hyper.shards;
  };
  EXPECT_EQ(shards("{batch: 32}"), 0);
  EXPECT_EQ(shards("{batch: 32, shards: auto}"), 0);
  EXPECT_EQ(shards("{batch: 32, shards: 3}"), 3);
}

TEST_F(Trial, InputsOfTheDataArePassedOn) {
  const StudySpec study = load(
      "data: {csv: rows.csv, target: -1, header: true, ignore: [a, 2], rows: 100, task: "
      "classification, scale: unit, "
      "split: {valid: 0.25, test: 0.125, seed: 4}}\ntrain: {epochs: 1}\n");
  nn::DataSpec expected;
  expected.path = (folder_ / "rows.csv").string();
  expected.targets = {"-1"};
  expected.header = nn::HeaderRow::yes;
  expected.ignore = {"a", "2"};
  expected.rows = 100;
  expected.task = nn::LearningTask::classification;
  expected.scale = nn::Scale::unit;
  expected.split = {0.25, 0.125, 4};
  EXPECT_EQ(data_spec(study, {}), expected);
}

class TrialRates : public StudyTest {
 protected:
  [[nodiscard]] nn::Hyper hyper(const std::string& train, const std::string& parameters,
                                const Params& params) const {
    const StudySpec study =
        load_table("train: {" + train + "}\nparameters: {" + parameters + "}\n");
    return materialise(study, params, classes(2, 2)).hyper;
  }
};

TEST_F(TrialRates, ACourseHoldsParametersInBothHalves) {
  const nn::Hyper h = hyper("optimizer: {type: sgd, lr: [[0, 0.1], [$when, $late], [20, 1e-4]]}",
                            "when: {values: [5, 10]}, late: {min: 1e-3, max: 1e-1}",
                            {{"when", Int{5}}, {"late", 0.01}});
  EXPECT_EQ(nn::real(h.optimizer.fields, "lr"), 0.1);
  ASSERT_EQ(h.lr.size(), 3U);
  EXPECT_EQ(h.lr[1].begin, 5);
  EXPECT_EQ(h.lr[1].first, 0.01);
  EXPECT_EQ(nn::lr_at(h.lr, 21), 1e-4);
}

TEST_F(TrialRates, AnEpochThatMayLieBeforeTheOneAheadOfItIsRefused) {
  const auto with_second = [&](const char* second) {
    return refusal(table() +
                   "train: {optimizer: {sgd: {lr: [[0, 0.1], [$first, 0.01], [$second, 0.001]]}}}\n"
                   "parameters: {first: {type: int, min: 5, max: 15}, second: {type: int, " +
                   second + "}}\n");
  };
  EXPECT_EQ(with_second("min: 16, max: 30"), "accepted");
  EXPECT_EQ(with_second("min: 10, max: 30"),
            "study.yaml:2:59: the epoch in sgd.lr is $second (at least 10) after 15, expected "
            "ascending epochs");
}

TEST_F(TrialRates, TrialsThatDifferLaterBeginAlike) {
  const auto at = [&](double late) {
    return hyper("optimizer: {type: sgd, lr: [[0, 0.1], [10, $late]]}",
                 "late: {min: 1e-3, max: 1e-1}", {{"late", late}});
  };
  EXPECT_EQ(nn::hyper_on(at(0.01), {0, 10}), nn::hyper_on(at(0.02), {0, 10}));
  EXPECT_NE(nn::hyper_on(at(0.01), {10, 11}), nn::hyper_on(at(0.02), {10, 11}));
}

TEST_F(TrialRates, AScheduleFollowsTheTrialsOwnRateAndLength) {
  const nn::Hyper h =
      hyper("optimizer: {type: adam, lr: $lr}, schedule: cosine, epochs: $e",
            "lr: {min: 0.01, max: 1.0}, e: {values: [10, 20]}", {{"lr", 0.5}, {"e", Int{20}}});
  ASSERT_EQ(h.lr.size(), 2U);
  EXPECT_EQ(h.lr[0].end, 20);
  EXPECT_EQ(h.lr[0].first, 0.5);
}

TEST_F(TrialRates, AScheduleCanBeAParameter) {
  const auto of = [&](const std::string& kind) {
    return hyper("schedule: {type: $s, every: 3, floor: 0.1}",
                 "s: {values: [constant, step, cosine]}", {{"s", kind}});
  };
  EXPECT_TRUE(of("constant").lr.empty());
  EXPECT_EQ(of("step").lr.size(), 9U);
  EXPECT_EQ(of("cosine").lr.size(), 2U);
}

TEST_F(TrialRates, AFileWithoutAScheduleResolvesWithoutOne) {
  EXPECT_EQ(resolved_yaml(load_table("network: []\n")).find("schedule"), std::string::npos);
  const std::string text =
      resolved_yaml(load_table("train: {optimizer: {type: sgd, lr: [[0, 1], [3, 0.5]]}}\n"));
  EXPECT_NE(text.find("lr: [[0, 1.0], [3, 0.5]]"), std::string::npos) << text;
  EXPECT_EQ(resolved_yaml(load(text)), text);
}

TEST_F(TrialRates, ARateRuleScalesTheRateByTheBatch) {
  const auto rate = [&](const std::string& rule, Int batch) {
    const nn::Hyper h =
        hyper("optimizer: {sgd: {lr: 0.02}}, batch: $b, base_batch: 64, rate_rule: " + rule,
              "b: {values: [16, 64, 1024]}", {{"b", batch}});
    EXPECT_TRUE(h.lr.empty());
    return nn::real(h.optimizer.fields, "lr");
  };
  EXPECT_EQ(rate("linear", 1024), 0.32);
  EXPECT_EQ(rate("linear", 16), 0.005);
  EXPECT_EQ(rate("sqrt", 1024), 0.08);
  EXPECT_EQ(rate("sqrt", 64), 0.02);
  EXPECT_EQ(rate("none", 1024), 0.02);
}

TEST_F(TrialRates, ARateRuleReachesSchedulesAndRatesByEpochs) {
  const std::string rule = "batch: 256, rate_rule: sqrt, base_batch: 64, ";
  const nn::Hyper warm = hyper(
      rule + "optimizer: {sgd: {lr: 0.1}}, schedule: {warmup: {epochs: 2, start: 0.5}}", "", {});
  ASSERT_EQ(warm.lr.size(), 2U);
  EXPECT_EQ(warm.lr[0].first, 0.1);
  EXPECT_EQ(warm.lr[1].first, 0.2);
  const nn::Hyper by_epochs = hyper(rule + "optimizer: {sgd: {lr: [[0, 0.1], [3, 0.05]]}}", "", {});
  ASSERT_EQ(by_epochs.lr.size(), 2U);
  EXPECT_EQ(by_epochs.lr[0].first, 0.2);
  EXPECT_EQ(by_epochs.lr[1].first, 0.1);
}

TEST_F(TrialRates, ARateRuleMayBeAParameterAndIsWrittenWhereItWasGiven) {
  const std::string text =
      "train: {rate_rule: $r, base_batch: 64, batch: 256}\n"
      "parameters: {r: {values: [none, linear]}}\n";
  const StudySpec study = load_table(text);
  const auto rate = [&](const std::string& rule) {
    const TrialSpec trial = materialise(study, Params{{"r", rule}}, classes(4, 2));
    return nn::real(trial.hyper.optimizer.fields, "lr");
  };
  EXPECT_EQ(rate("linear"), 4 * rate("none"));
  EXPECT_NE(resolved_yaml(study).find("rate_rule: $r\n  base_batch: 64"), std::string::npos)
      << resolved_yaml(study);
  EXPECT_EQ(resolved_yaml(load(resolved_yaml(study))), resolved_yaml(study));
  EXPECT_EQ(resolved_yaml(load_table("")).find("rate_rule"), std::string::npos);
}

TEST_F(TrialRates, LateAndStaleGradientsArePartOfTheTrainingWhereTheyAreGiven) {
  const auto kind = [&](const std::string& train) { return hyper(train, "", {}).optimizer.kind; };
  EXPECT_EQ(kind("optimizer: sgd"), "sgd");
  EXPECT_EQ(kind("optimizer: sgd, late: 0"), "sgd");
  EXPECT_EQ(kind("optimizer: sgd, late: 1"), "sgd+late");
  const nn::Hyper h = hyper(
      "optimizer: sgd, staleness: {bound: 4, replicas: 8, jitter: {factor: 10, probability: 0.05}}",
      "", {});
  EXPECT_EQ(nn::staleness_of(h.optimizer), (nn::Staleness{4, 8, 10, 0.05}));
  EXPECT_EQ(nn::staleness_of(hyper("staleness: {bound: 1, replicas: 2}", "", {}).optimizer),
            (nn::Staleness{1, 2, 1, 0}));
}

TEST_F(StudyTest, BeginsAsAnotherWhereOnlyItsEndDiffers) {
  const auto alike = [&](const std::string& rest) { return trials_begin_alike(load_table(rest)); };
  EXPECT_TRUE(alike("train: {epochs: $e}\nparameters: {e: {values: [2, 4]}}\n"));
  EXPECT_TRUE(
      alike("train: {epochs: $e, optimizer: {sgd: {lr: $lr}}}\n"
            "parameters: {e: {values: [2, 4]}, lr: {values: [0.1, 0.2]}}\n"));
  EXPECT_FALSE(
      alike("train: {optimizer: {sgd: {lr: $lr}}}\nparameters: {lr: {values: [0.1, 0.2]}}\n"));
  EXPECT_FALSE(alike("train: {epochs: $e, batch: $e}\nparameters: {e: {values: [2, 4]}}\n"));
  EXPECT_TRUE(
      alike("train: {epochs: 9, optimizer: {sgd: {lr: 0.1}},\n"
            "        schedule: {step: {every: 5, factor: $f}}}\n"
            "parameters: {f: {values: [0.1, 0.2]}}\n"));
  EXPECT_TRUE(
      alike("train: {epochs: 9, optimizer: {sgd: {lr: [[0, 0.1], [$late, 0.01]]}}}\n"
            "parameters: {late: {values: [3, 5]}}\n"));
  EXPECT_FALSE(
      alike("train: {epochs: 9, optimizer: {sgd: {lr: [[0, $lr], [5, 0.01]]}}}\n"
            "parameters: {lr: {values: [0.1, 0.2]}}\n"));
  EXPECT_TRUE(alike("resources: {cpus: $c}\nparameters: {c: {values: [1, 2]}}\n"));
}

TEST_F(StudyTest, GpusMayBeUsedWhereSomeValueAsksForThem) {
  EXPECT_FALSE(may_use_gpus(load_table("")));
  EXPECT_TRUE(may_use_gpus(load_table("resources: {gpus: 0.5}\n")));
  EXPECT_TRUE(may_use_gpus(load_table("resources: {gpus: auto}\n")));
  const std::string named = "resources: {gpus: $g}\nparameters:\n";
  EXPECT_TRUE(may_use_gpus(load_table(named + "  g: {values: [0, 1]}\n")));
  EXPECT_FALSE(may_use_gpus(load_table(named + "  g: {value: 0}\n")));
  EXPECT_TRUE(may_use_gpus(load_table("network: [dense: {units: 3, activation: $kind}]\n" + named +
                                      "  kind: {values: [relu, tanh, gelu, sigmoid]}\n"
                                      "  g: {values: [1, 2], when: {kind: tanh}}\n")));
}

TEST_F(StudyTest, ThePartOfAGpuSaysHowManyTrialsShareIt) {
  EXPECT_EQ(trials_per_gpu(load_table("")), 1);
  EXPECT_EQ(trials_per_gpu(load_table("resources: {gpus: auto}\n")), 1);
  EXPECT_EQ(trials_per_gpu(load_table("resources: {gpus: 1}\n")), 1);
  EXPECT_EQ(trials_per_gpu(load_table("resources: {gpus: 0.4}\n")), 2);
  EXPECT_EQ(trials_per_gpu(load_table("resources: {gpus: 0.001}\n")), kMostPerGpu);
  EXPECT_EQ(
      trials_per_gpu(load_table("resources: {gpus: $g}\nparameters:\n  g: {values: [0, 0.25]}\n")),
      4);
}

TEST_F(StudyTest, NetworksShareAGpuInEqualParts) {
  const std::string named = "resources: {gpus: $g}\nparameters: {g: ";
  for (const char* different :
       {"{values: [0.25, 1]}", "{values: [0, 0.5, 0.3]}", "{min: 0.0, max: 1.0}",
        "{min: 0.0, max: 2.0}", "{min: 0.2, max: 0.5}", "{min: 0.0, max: 1.0, step: 0.5}",
        "{values: [auto, 0.5]}"})
    EXPECT_THROW((void)load_table(named + different + "}\n"), base::Error) << different;
  for (const char* equal : {"{values: [0, 1]}", "{values: [0.34, 0.5]}", "{min: 0.4, max: 0.5}",
                            "{type: int, min: 0, max: 1}", "{value: 0.25}"})
    EXPECT_NO_THROW((void)load_table(named + equal + "}\n")) << equal;
  EXPECT_NO_THROW(
      (void)parse_study("command: [/bin/true, $g]\nresources: {gpus: $g}\n"
                        "parameters: {g: {min: 0.0, max: 1.0}}\n"
                        "metric: {name: exit, goal: minimize}\n",
                        "run.yaml", "/"))
      << "a program has the part that it asks for";
}

TEST_F(StudyTest, APrecisionOfGpusIsRefusedWhereSomeValueAsksForACore) {
  const std::string tf32 = "precision: tf32\nresources: {gpus: $g}\nparameters: {g: ";
  EXPECT_NO_THROW((void)load_table(tf32 + "{values: [1, 2]}}\n"));
  EXPECT_NO_THROW((void)load_table("precision: tf32\nresources: {gpus: auto}\n"));
  EXPECT_THROW((void)load_table(tf32 + "{values: [0, 1]}}\n"), base::Error);
  EXPECT_THROW((void)load_table(tf32 + "{type: int, min: 0, max: 1}}\n"), base::Error);
}

}  // namespace
}  // namespace hpo
