// Choices that mix ints and floats, as Python's programs write them.

#include "hpo/import/optuna_domain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "tests/hpo/import/journal.h"

namespace hpo {
namespace {

using optuna::choices;
using optuna::floats;
using optuna::ints;
using optuna::Journal;

/// The study of one complete trial for each place of a list, behind what `journal` has.
ImportedStudy chosen(const std::string& list, int count, Journal journal = {}) {
  for (int place = 0; place < count; ++place)
    journal.trial(optuna::complete, {{"c", choices(list), 1.0 * place}});
  return journal.imported();
}

std::vector<ParamValue> values_of(const ImportedStudy& made) {
  std::vector<ParamValue> values;
  for (const ImportedTrial& trial : made.trials) values.push_back(*trial.params.find("c"));
  return values;
}

TEST(OptunaMixedChoices, AreFloatsAsInAStudyFile) {
  const ImportedStudy made = chosen("[0.1, 1, 10]", 3);
  EXPECT_EQ(values_of(made), (std::vector<ParamValue>{0.1, 1.0, 10.0}));
  EXPECT_TRUE(optuna::holds_all(made)) << made.yaml;
  EXPECT_TRUE(optuna::holds_all(chosen("[0.5, 1]", 2)));
}

TEST(OptunaMixedChoices, OfIntsAloneStayInts) {
  const ImportedStudy made = chosen("[1, 2, 4]", 3);
  EXPECT_EQ(values_of(made).front(), ParamValue(std::int64_t{1}));
  EXPECT_TRUE(optuna::holds_all(made)) << made.yaml;
}

TEST(OptunaMixedChoices, OfOtherKindsStayApart) {
  const ImportedStudy made = chosen(R"([true, 1, "1", 0.5, null, "true", "0.5"])", 7);
  EXPECT_EQ(values_of(made), (std::vector<ParamValue>{true, std::int64_t{1}, std::string("1"), 0.5,
                                                      std::string("None"), std::string("true"),
                                                      std::string("0.5")}));
  EXPECT_TRUE(optuna::holds_all(made)) << made.yaml;
}

TEST(OptunaMixedChoices, TellWhenAParamExists) {
  Journal journal;
  for (int place = 0; place < 3; ++place) {
    std::vector<Journal::Param> params{{"c", choices("[0.1, 1, 10]"), 1.0 * place}};
    if (place > 0) params.push_back({"x", floats(0, 1), 0.5});
    journal.trial(optuna::complete, params);
  }
  const ImportedStudy made = journal.imported();
  EXPECT_NE(made.yaml.find("when: {c: [1.0, 10.0]}"), std::string::npos) << made.yaml;
  EXPECT_TRUE(optuna::holds_all(made));
}

/// A param that was one thing, and then another.
ImportedStudy changed(const Journal::Param& before, const Journal::Param& after) {
  Journal journal;
  journal.trial(optuna::complete, {before});
  journal.trial(optuna::complete, {after});
  return journal.imported();
}

TEST(OptunaMixedChoices, AreTheSameNumbersInTheListThatCameLater) {
  for (const auto& [before, after] : {std::pair{choices("[1, 2]"), choices("[1, 2, 0.5]")},
                                      std::pair{choices("[1, 2, 0.5]"), choices("[1, 2]")},
                                      std::pair{choices("[1, 2]"), floats(0, 4)}}) {
    const ImportedStudy made = changed({"c", before, 1}, {"c", after, 1});
    EXPECT_TRUE(optuna::holds_all(made)) << made.yaml;
  }
  EXPECT_FALSE(optuna::holds_all(
      changed({"c", choices(R"([true, "1"])"), 1}, {"c", choices("[1, 0.5]"), 0})));
  EXPECT_FALSE(
      optuna::holds_all(changed({"c", choices("[true, false]"), 0}, {"c", choices("[1, 0]"), 0})));
}

TEST(OptunaMixedChoices, AreFixedByNumber) {
  Journal journal;
  journal.enqueue(R"({"c": 1})");
  journal.enqueue(R"({"c": 10.0})");
  const ImportedStudy made = chosen("[0.1, 1, 10]", 3, journal);
  EXPECT_NE(made.yaml.find("try_first:\n  - {c: 1.0}\n  - {c: 10.0}\n"), std::string::npos)
      << made.yaml;
  Journal of_ints;
  of_ints.enqueue(R"({"c": 2.0})");
  EXPECT_NE(chosen("[1, 2]", 2, of_ints).yaml.find("try_first:\n  - {c: 2}\n"), std::string::npos);
}

TEST(OptunaMixedChoices, OfATrialThatWaitsAreThoseOfItsOwnList) {
  Journal journal;
  journal.trial(optuna::complete, {{"c", choices("[1, 2]"), 0}});
  journal.trial(optuna::waiting, {{"c", choices("[1, 2]"), 1}});
  const ImportedStudy made = chosen("[0.5, 1, 2]", 3, journal);
  EXPECT_NE(made.yaml.find("try_first:\n  - {c: 2.0}\n"), std::string::npos) << made.yaml;
}

}  // namespace
}  // namespace hpo
