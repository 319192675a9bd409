// What a population may change half-way, and what it goes together with.

#include <gtest/gtest.h>

#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

using Names = std::vector<std::string>;

class PopulationStudy : public StudyTest {};

TEST_F(PopulationStudy, HasItsMembersAsTrialsAndNoRule) {
  const StudySpec study = load_table(R"(
train: {optimizer: {sgd: {lr: $lr}}}
method: {type: pbt, members: 12}
parameters: {lr: {min: 1e-3, max: 1}}
)");
  EXPECT_EQ(study.limits.trials, 12);
  EXPECT_EQ(study.early_stop.kind, "none");
  EXPECT_EQ(study.explorable, Names{"lr"});
  EXPECT_TRUE(study.reshape.empty());
  EXPECT_EQ(resolved_yaml(parse_study(resolved_yaml(study), "study.yaml", "/")),
            resolved_yaml(study));
}

TEST_F(PopulationStudy, ExploresWhatTrainingUsesAndTheNetworkDoesNot) {
  const StudySpec study = load(R"(
data: {csv: rows.csv, target: y, rows: $both}
network: [dense: {units: $width}]
train:
  optimizer: {type: $optimizer, lr: $lr, momentum: $momentum}
  batch: $both
  shards: $fixed
parameters:
  width: {min: 4, max: 64}
  both: {values: [16, 32]}
  optimizer: {values: [adam, sgd]}
  lr: {min: 1e-3, max: 1}
  momentum: {min: 0.0, max: 0.9, when: {optimizer: sgd}}
  fixed: {value: 1}
method: pbt
)");
  EXPECT_EQ(study.explorable, (Names{"lr", "momentum"}));
}

TEST_F(PopulationStudy, AMemberKeepsTheKindOfItsLossAndExploresItsNumbers) {
  const StudySpec study = load_table(R"(
train: {loss: {type: $loss, label_smoothing: $smoothing}, optimizer: {sgd: {lr: 0.1}}, clip: $clip}
parameters:
  loss: {values: [bce, cross_entropy]}
  smoothing: {min: 0.0, max: 0.3}
  clip: {min: 0.5, max: 5.0}
method: pbt
)");
  EXPECT_EQ(study.explorable, (Names{"smoothing", "clip"}));
}

TEST_F(PopulationStudy, ASwitchMovesOnlyWithWhatHangsOnIt) {
  const StudySpec study = load_table(R"(
network: [dense: {units: $width}, dropout: {rate: $rate}]
train: {optimizer: {sgd: {lr: $lr, momentum: $momentum}}}
parameters:
  width: {min: 4, max: 64}
  drops: {values: [yes, no]}
  rate: {min: 0.1, max: 0.5, when: {drops: yes}}
  moves: {values: [yes, no]}
  momentum: {min: 0.1, max: 0.9, when: {moves: yes}}
  lr: {min: 1e-3, max: 1}
method: pbt
)");
  EXPECT_EQ(study.explorable, (Names{"moves", "momentum", "lr"}));
}

TEST_F(PopulationStudy, ReshapesAreReadInOrder) {
  const StudySpec study = load_table(R"(
network: [dense: {name: fc1, units: 8}]
method: {type: pbt, reshape: [{widen: {layer: fc1, by: 16}}, {shrink: {layer: fc1, by: 16}}]}
train: {optimizer: {sgd: {lr: $lr}}}
parameters: {lr: {min: 1e-3, max: 1}}
)");
  ASSERT_EQ(study.reshape.size(), 2U);
  EXPECT_EQ(study.reshape[0].kind, "widen");
  EXPECT_EQ(study.reshape[1].kind, "shrink") << "a layer that is too small today may grow";
}

}  // namespace
}  // namespace hpo
