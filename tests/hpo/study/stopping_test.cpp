// Stopping rules of a study file: forms, combinations, units.

#include <gtest/gtest.h>

#include "base/text.h"
#include "hpo/study/spec.h"
#include "tests/hpo/study/study_fixture.h"

namespace hpo {
namespace {

class StoppingTest : public StudyTest {
 protected:
  [[nodiscard]] StudySpec with_rule(const std::string& rule) {
    return load(base::cat("data: {csv: rows.csv, target: y}\nearly_stop: ", rule, "\n"));
  }
};

TEST_F(StoppingTest, ACombinationIsAListOfRules) {
  const StudySpec study = with_rule("{any_of: [{type: patience, wait: 3}, median]}");
  EXPECT_EQ(study.early_stop.kind, "any_of");
  ASSERT_EQ(study.early_stop.of.size(), 2U);
  EXPECT_EQ(study.early_stop.of[0].kind, "patience");
  EXPECT_EQ(*study.early_stop.of[0].options.find("wait"), ParamValue(std::int64_t{3}));
  EXPECT_EQ(study.early_stop.of[1].kind, "median");
  EXPECT_EQ(study.early_stop,
            with_rule("{type: any_of, of: [{patience: {wait: 3}}, {type: median}]}").early_stop);
}

TEST_F(StoppingTest, CombinationsHoldCombinations) {
  const StudySpec study =
      with_rule("{any_of: [asha, {all_of: [{threshold: {worst: 0.5}}, {patience: {}}]}]}");
  EXPECT_EQ(study.early_stop.of[1].of[1].kind, "patience");
}

TEST_F(StoppingTest, AResolvedFileLoadsToTheSameRule) {
  for (const char* rule :
       {"{any_of: [{type: patience, wait: 3}, {all_of: [median, percentile]}]}",
        "{type: hyperband, promote: true, brackets: 3}", "successive_halving",
        "{any_of: [{type: asha, min: 30, unit: seconds}, {type: median, unit: seconds}]}"}) {
    const StudySpec study = with_rule(rule);
    const StudySpec again = parse_study(resolved_yaml(study), "again.yaml", study.folder);
    EXPECT_EQ(again.early_stop, study.early_stop) << rule;
    EXPECT_EQ(again.early_stop_unit, study.early_stop_unit) << rule;
  }
}

TEST_F(StoppingTest, TheUnitOfACombinationIsThatOfItsRules) {
  EXPECT_EQ(with_rule("{any_of: [none, {type: asha, unit: steps}]}").early_stop_unit, Unit::steps);
  EXPECT_EQ(with_rule("{type: asha, min: 30, unit: seconds}").early_stop_unit, Unit::seconds);
  EXPECT_EQ(with_rule("{any_of: [asha, median]}").early_stop_unit, Unit::epochs);
}

}  // namespace
}  // namespace hpo
