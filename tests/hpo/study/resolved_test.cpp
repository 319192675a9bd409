// resolved_yaml: loads to an equal study from anywhere, and is a fixed point.

#include <gtest/gtest.h>

#include "hpo/study/trial_spec.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

class Resolved : public StudyTest {
 protected:
  /// The text of today, after checking that it stands for the same study wherever it lies.
  std::string round_trip(const StudySpec& study) {
    const std::string text = resolved_yaml(study);
    const StudySpec again = parse_study(text, "runs/study.yaml", "/nowhere");
    EXPECT_EQ(resolved_yaml(again), text);
    EXPECT_EQ(again.name, study.name);
    EXPECT_EQ(again.seed, study.seed);
    EXPECT_EQ(again.space, study.space);
    EXPECT_EQ(again.metric, study.metric);
    EXPECT_EQ(again.method, study.method);
    EXPECT_EQ(again.early_stop, study.early_stop);
    EXPECT_EQ(again.max_epochs, study.max_epochs);
    EXPECT_EQ(again.parallel, study.parallel);
    EXPECT_EQ(again.order, study.order);
    EXPECT_EQ(again.limits, study.limits);
    EXPECT_EQ(again.retry, study.retry);
    for (const double u : {0.0, 0.4, 0.9}) {
      const Params params = study.space.from_unit(std::vector<double>(study.space.size(), u));
      EXPECT_EQ(data_spec(again, params), data_spec(study, params));
      EXPECT_EQ(materialise(again, params, classes(2, 2)),
                materialise(study, params, classes(2, 2)));
    }
    return text;
  }
};

TEST_F(Resolved, WritesEveryDefaultOut) {
  const std::string text =
      round_trip(settle(load("data: {csv: rows.csv, target: y}"), classes(2, 2)));
  EXPECT_EQ(text,
            "# The study with every default written out. Made by trellis.\n"
            "name: study\n"
            "seed: 0\n"
            "precision: f32\n"
            "data:\n"
            "  csv: " +
                (folder_ / "rows.csv").string() +
                "\n"
                R"(  target: y
  header: guess
  ignore: []
  keep: []
  categories: []
  missing: []
  classes: []
  task: classification
  scale: standard
  split: {valid: 0.2, test: 0.2, seed: 0}
network:
  - {type: repeat, times: $depth, of: [{type: dense, units: $width, activation: relu}]}
train:
  loss: {type: cross_entropy, class_weights: none, label_smoothing: 0.0}
  optimizer: {type: adam, lr: $lr, beta1: 0.9, beta2: 0.999, epsilon: 1e-8, )"
                R"(weight_decay: $weight_decay}
  schedule: {type: cosine, epochs: auto, floor: 0.0, warmup: 0.0}
  batch: $batch
  epochs: 81
  shards: auto
  clip: none
  augment: {shift: 0, flip: none}
metric:
  name: valid.accuracy
  goal: maximize
  take: last
method: {type: tpe, startup: 10, candidates: 24}
parameters:
  lr: {type: float, min: 0.001, max: 0.03, scale: log}
  depth: {type: int, min: 0, max: 4, scale: linear}
  width: {type: int, min: 16, max: 256, scale: log}
  batch: {values: [16, 32, 64], ordered: true}
  weight_decay: {type: float, min: 1e-6, max: 0.1, scale: log}
early_stop: {type: asha, min: 9, eta: 3, promote: false, unit: epochs}
parallel: 8
order: virtual
limits:
  trials: 60
resources:
  cpus: 1
  gpus: 0.0
retry:
  max: 2
  on: [lost, killed, out_of_memory]
checkpoint:
  overhead: "3.5%"
store:
  budget: 16GB
)");
}

TEST_F(Resolved, KeepsEverySourceOfData) {
  for (const char* name : {"x.npy", "y.npy", "t.safetensors"})
    base::write_file_atomic(folder_ / name, "not read here");
  const auto spec = [&](const std::string& text) {
    const StudySpec study = load(text);
    (void)round_trip(study);
    return data_spec(study, study.space.middle());
  };
  const nn::DataSpec npy = spec("data: {npy: {x: x.npy, y: y.npy}, split: {test: 0.1}}");
  EXPECT_EQ(npy.kind, nn::DataKind::npy);
  EXPECT_EQ(npy.path, (folder_ / "x.npy").string());
  EXPECT_EQ(npy.more, (folder_ / "y.npy").string());
  EXPECT_EQ(npy.split.test, 0.1);
  const nn::DataSpec tensors = spec("data: {safetensors: [gone, t.safetensors]}");
  EXPECT_EQ(tensors.kind, nn::DataKind::safetensors);
  EXPECT_EQ(tensors.path, (folder_ / "t.safetensors").string());
  const nn::DataSpec csv =
      spec("data: {csv: rows.csv, target: y, test: rows.csv, keep: [id], split: {group: patient}}");
  EXPECT_EQ(csv.more, csv.path);
  EXPECT_EQ(csv.split.test, 0);
  EXPECT_EQ(csv.split.group, "patient");
  EXPECT_EQ(csv.keep, (std::vector<std::string>{"id"}));
  EXPECT_EQ(spec("data: {csv: rows.csv, target: y, split: {time: day}}").split.time, "day");
}

TEST_F(Resolved, KeepsWhatIsAwkward) {
  const StudySpec study = load(R"(
name: "010"
data: {csv: rows.csv, target: "a $$b: c, #d", ignore: ["1", "true", "~", "x y", "é\"\n"]}
network:
  - dense: {units: "${w}", name: fc-$w-$act, activation: $act}
  - repeat: {times: 2, of: [dense: {units: 3}, {repeat: {times: 1, of: [dense: {units: $w}]}}]}
train: {optimizer: {type: $o, lr: 1e-3, momentum: $m}}
metric: {name: valid.loss, goal: maximize}
parameters:
  w: {type: int, min: 4, max: 16, step: 4}
  act: {values: [relu, "none"]}
  o: {values: [adam, sgd]}
  m: {min: 0.1, max: 0.9, step: 0.1, when: {o: [sgd], act: relu}}
limits: {time: 90m, trial_time: 61.5s}
resources: {memory: 1.5GiB}
retry: {on: []}
order: arrival
parallel: auto
)");
  const std::string text = round_trip(settle(study, classes(2, 2)));
  EXPECT_NE(text.find("time: 1h30m\n  trial_time: 1m1s500ms\n"), std::string::npos) << text;
  EXPECT_NE(text.find("memory: 1536MiB\n"), std::string::npos) << text;
  EXPECT_NE(text.find("name: \"010\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("when: {o: sgd, act: relu}"), std::string::npos) << text;
}

TEST_F(Resolved, ValuesOfAllTypesSurvive) {
  const StudySpec study = load_table(R"(
network: [dense: {units: 4, name: "n$s"}]
parameters:
  s: {values: [true, 1, 2.5, "3", "false", "a b", -7, "", "null"]}
)");
  const std::string text = resolved_yaml(study);
  EXPECT_EQ(parse_study(text, "x.yaml", "/").space, study.space) << text;
}

TEST_F(Resolved, EqualStudiesGiveEqualTexts) {
  const std::string head = table();
  const auto text = [&](const std::string& sections) {
    return resolved_yaml(load(head + sections));
  };
  EXPECT_EQ(text("train: {optimizer: adam, epochs: 0x10}\n"),
            text("train:\n  epochs: 16.0\n  optimizer: {adam: {lr: 1e-3}}\n"));
  EXPECT_EQ(text("limits: {time: 60m}\n"), text("limits: {time: 1h}\n"));
  EXPECT_NE(text("train: {epochs: 2}\n"), text("train: {epochs: 3}\n"));
}

TEST_F(Resolved, WhereOnlyTimeEndsAStudyNoNumberOfTrialsDoes) {
  const std::string space = table() + "parameters: {width: {type: int, min: 1, max: 4}, ";
  const std::string open = "lr: {min: 1e-3, max: 1e-1}}\n";
  const std::string uses = "network: [dense: {units: $width}]\n";
  const std::string optimizer = "train: {optimizer: {adam: {lr: $lr}}}\n";
  EXPECT_EQ(load(space + open + uses + optimizer).limits.trials, 60);
  const StudySpec timed = load(space + open + uses + optimizer + "limits: {time: 10s}\n");
  EXPECT_EQ(timed.limits.trials, std::nullopt);
  EXPECT_EQ(timed.early_stop.kind, "auto");
  const StudySpec both = load(space + open + uses + optimizer + "limits: {time: 10s, trials: 7}\n");
  EXPECT_EQ(both.limits.trials, 7);
  EXPECT_EQ(both.early_stop.kind, "asha");
  EXPECT_EQ(load(table() + "limits: {time: 10s}\nnetwork: [dense: {units: 4}]\n").limits.trials, 1);
}

TEST_F(Resolved, TheRuleOfAnEarlierSessionStaysWhereTheFileNamesNone) {
  const std::string head =
      table() + "network: [dense: {units: $w}]\nparameters: {w: {min: 1, max: 9, type: int}}\n";
  const StudySpec before = parse_study(resolved_yaml(load(head)), "study.yaml", "/");
  const StudySpec now = load(head + "limits: {time: 1m}\n");
  ASSERT_EQ(now.early_stop.kind, "auto");
  const StudySpec kept = with_rule_of(before, now);
  EXPECT_EQ(kept.early_stop.kind, "asha");
  EXPECT_EQ(parse_study(resolved_yaml(kept), "study.yaml", "/").early_stop.kind, "asha");
  const StudySpec named = load(head + "limits: {time: 1m}\nearly_stop: auto\n");
  EXPECT_EQ(with_rule_of(before, named).early_stop.kind, "auto");
}

}  // namespace
}  // namespace hpo
