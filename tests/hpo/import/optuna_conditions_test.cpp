#include "hpo/import/optuna_conditions.h"

#include <gtest/gtest.h>

#include "tests/hpo/import/journal.h"

namespace hpo {
namespace {

using optuna::choices;
using optuna::floats;
using optuna::holds_all;
using optuna::ints;
using optuna::Journal;
using Param = Journal::Param;

const std::string kOpt = choices(R"(["adam", "sgd"])");

Param opt(double place) { return {"opt", kOpt, place}; }
Param momentum(double value) { return {"momentum", floats(0, 1), value}; }

bool says(const ImportedStudy& made, const std::string& words) {
  return made.yaml.find(words) != std::string::npos;
}

/// Trials that ended well: momentum goes with sgd.
Journal optimizers() {
  Journal journal;
  journal.trial(optuna::complete, {opt(0)});
  journal.trial(optuna::complete, {opt(1), momentum(0.5)});
  journal.trial(optuna::pruned, {opt(1), momentum(0.25)});
  return journal;
}

TEST(OptunaConditions, AreNotDestroyedByTrialsThatWentBefore) {
  for (const optuna::State state : {optuna::failed, optuna::running, optuna::waiting}) {
    Journal journal = optimizers();
    journal.trial(state, {opt(1)});
    journal.trial(state, {});
    const ImportedStudy made = journal.imported();
    EXPECT_TRUE(says(made, "momentum: {type: float, min: 0.0, max: 1.0, when: {opt: [sgd]}}"))
        << made.yaml;
    EXPECT_TRUE(says(made, "opt: {values: [adam, sgd]}\n")) << made.yaml;
  }
}

TEST(OptunaConditions, CountWhatATrialThatFailedHas) {
  Journal journal;
  journal.trial(optuna::complete, {opt(0)});
  journal.trial(optuna::failed, {opt(1), momentum(0.5)});
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(says(made, "when: {opt: [sgd]}")) << made.yaml;
  EXPECT_TRUE(holds_all(made));
}

TEST(OptunaConditions, AreReadOffIntsAsWell) {
  Journal journal;
  for (int layers = 1; layers <= 3; ++layers) {
    for (int units = 4; units < 10; ++units) {
      std::vector<Param> params{{"n_layers", ints(1, 4), static_cast<double>(layers)}};
      for (int i = 0; i < layers; ++i)
        params.push_back({base::cat("n_units_l", i), ints(4, 128), 1.0 * units + 7 * i});
      journal.trial(optuna::complete, params);
    }
  }
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(says(made, "n_units_l0: {type: int, min: 4, max: 128}\n")) << made.yaml;
  EXPECT_TRUE(says(made, "n_units_l1: {type: int, min: 4, max: 128, when: {n_layers: [2, 3, 4]}}"))
      << made.yaml;
  EXPECT_TRUE(says(made, "n_units_l2: {type: int, min: 4, max: 128, when: {n_layers: [3, 4]}}"))
      << made.yaml;
  EXPECT_TRUE(holds_all(made));
}

TEST(OptunaConditions, OfIntsInTheMiddleAreOnlyBelievedWhereThereAreFew) {
  for (const int most : {5, 50}) {
    Journal journal;
    for (int n = 1; n <= 5; ++n) {
      std::vector<Param> params{{"n", ints(1, most), static_cast<double>(n)}};
      if (n == 3) params.push_back(momentum(0.5));
      journal.trial(optuna::complete, params);
    }
    const ImportedStudy made = journal.imported();
    EXPECT_EQ(says(made, "when: {n: [3]}"), most == 5) << made.yaml;
    EXPECT_EQ(says(made, "not carried over: when momentum exists"), most == 50) << made.yaml;
  }
}

TEST(OptunaConditions, OfTwoParamsAreFoundWhereNoSingleOneTells) {
  Journal journal;
  const std::string norms = choices(R"(["bn", "ln"])");
  for (int i = 0; i < 24; ++i) {
    const int layers = 1 + i % 3, norm = i / 3 % 2, kind = i / 6 % 2;
    std::vector<Param> params{
        opt(kind), {"norm", norms, 1.0 * norm}, {"n", ints(1, 3), 1.0 * layers}};
    if (kind == 1 && norm == 0) params.push_back(momentum(0.5));
    if (norm == 1 && layers >= 2) params.push_back({"gap", floats(0, 1), 0.25});
    journal.trial(optuna::complete, params);
  }
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(says(made,
                   "momentum: {type: float, min: 0.0, max: 1.0, when: {opt: [sgd], norm: "
                   "[bn]}}"))
      << made.yaml;
  EXPECT_TRUE(says(made, "when: {norm: [ln], n: [2, 3]}}")) << made.yaml;
  EXPECT_TRUE(holds_all(made));
}

TEST(OptunaConditions, PreferAChoice) {
  Journal journal;
  journal.trial(optuna::complete, {{"n", ints(1, 2), 1}, opt(0)});
  journal.trial(optuna::complete, {{"n", ints(1, 2), 2}, opt(1), momentum(0.5)});
  EXPECT_TRUE(says(journal.imported(), "when: {opt: [sgd]}"));
}

TEST(OptunaConditions, DoNotGoInACircle) {
  Journal journal;
  journal.trial(optuna::complete, {{"x", floats(0, 1), 0.5}});
  journal.trial(optuna::complete, {{"x", floats(0, 1), 0.5}, opt(1), {"kind", kOpt, 0}});
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(says(made, "not carried over: when opt exists: no other param tells it"))
      << made.yaml;
  EXPECT_TRUE(says(made, "kind: {values: [adam, sgd]}")) << made.yaml;
  (void)study_made(made.yaml, "j.log", "j.yaml");
}

TEST(OptunaConditions, FollowTheOrderOfTheSuggestions) {
  const ImportedStudy made = optimizers().imported();
  EXPECT_LT(made.yaml.find("  opt:"), made.yaml.find("  momentum:")) << made.yaml;
  EXPECT_EQ(made.trials[1].params.begin()->first, "opt");
}

}  // namespace
}  // namespace hpo
