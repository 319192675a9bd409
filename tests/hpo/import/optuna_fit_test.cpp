// Histories whose program changed between their trials, or that trials of other programs are in.

#include "hpo/import/optuna_fit.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/hpo/import/journal.h"

namespace hpo {
namespace {

using optuna::choices;
using optuna::floats;
using optuna::ints;
using optuna::Journal;
using Param = Journal::Param;

Param x(double value) { return {"x", floats(0, 1), value}; }

/// `count` trials that ended well with these params.
void add(Journal& journal, int count, const std::vector<Param>& params) {
  for (int i = 0; i < count; ++i) journal.trial(optuna::complete, params);
}

/// Of the trials that ended those that lie in the space.
std::size_t kept(const ImportedStudy& made) {
  const StudySpec study = study_made(made.yaml, "j.log", "j.yaml");
  return static_cast<std::size_t>(std::ranges::count_if(
      made.trials, [&](const ImportedTrial& trial) { return study.space.contains(trial.params); }));
}

bool leaves(const ImportedStudy& made, const std::string& what) {
  const std::vector<std::string>& lines = made.notes.lines();
  return std::ranges::find(lines, "not carried over: " + what) != lines.end();
}

TEST(OptunaFit, AParamThatWasRenamedStaysBehind) {
  Journal journal;
  add(journal, 5, {{"lr", floats(0, 1), 0.5}});
  add(journal, 25, {{"learning_rate", floats(0, 1), 0.5}});
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(made.ended, 30U);
  EXPECT_EQ(kept(made), 25U) << made.yaml;
  EXPECT_TRUE(leaves(made, "param lr, which 5 of 30 trials have: they stay behind")) << made.yaml;
}

TEST(OptunaFit, ATrialOfAnotherProgramCostsNoOther) {
  for (const int place : {0, 30, 59, 60}) {
    Journal journal;
    for (int i = 0; i <= 60; ++i)
      journal.trial(optuna::complete, i == place
                                          ? std::vector<Param>{{"foreign", floats(0, 2), 1}}
                                          : std::vector<Param>{x(0.5), {"n", ints(1, 4), 2}});
    journal.enqueue(R"({"foreign": 0.5})");
    const ImportedStudy made = journal.imported();
    EXPECT_EQ(kept(made), 60U) << place << "\n" << made.yaml;
    EXPECT_TRUE(leaves(made, "param foreign, which 1 of 61 trials has: it stays behind"));
    EXPECT_TRUE(leaves(
        made, "1 trial that waits (enqueue_trial): its values are not a point of this space"));
  }
}

TEST(OptunaFit, ATrialThatLacksAParamCostsNoOther) {
  Journal journal;
  add(journal, 20, {x(0.5), {"n", ints(1, 4), 2}});
  journal.trial(optuna::complete, {x(0.25)});
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(kept(made), 20U) << made.yaml;
  EXPECT_TRUE(leaves(made, "when n exists: no other param tells it, and 1 of 21 trials lacks it"));
}

TEST(OptunaFit, TrialsThatWaitLackNothing) {
  Journal journal;
  for (int i = 0; i < 3; ++i) journal.trial(optuna::running, {x(0.5)});
  journal.enqueue(R"({"x": 0.5})");
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(made.yaml.find("when x exists"), std::string::npos) << made.yaml;
  EXPECT_NE(made.yaml.find("try_first:\n  - {x: 0.5}\n"), std::string::npos) << made.yaml;
}

TEST(OptunaFit, TrialsThatRunCountAmongThoseThatLackAParam) {
  Journal journal;
  journal.trial(optuna::running, {x(0.5)});
  journal.trial(optuna::running, {x(0.5), {"n", ints(1, 4), 2}});
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(leaves(made, "when n exists: no other param tells it, and 1 of 2 trials lacks it"))
      << made.yaml;
}

TEST(OptunaFit, AParamOfTheLatestTrialsStays) {
  for (const int grown : {3, 20}) {
    Journal journal;
    add(journal, 20, {x(0.5)});
    add(journal, grown, {x(0.5), {"drop", floats(0, 1), 0.5}});
    const ImportedStudy made = journal.imported();
    EXPECT_EQ(kept(made), static_cast<std::size_t>(grown)) << made.yaml;
    EXPECT_TRUE(leaves(made, base::cat("when drop exists: no other param tells it, and 20 of ",
                                       20 + grown, " trials lack it")))
        << made.yaml;
  }
}

TEST(OptunaFit, AParamThatCameLaterToOneBranchKeepsTheOthers) {
  const std::string opts = choices(R"(["adam", "sgd"])");
  Journal journal;
  for (int i = 0; i < 40; ++i) {
    std::vector<Param> params{{"opt", opts, 1.0 * (i % 2)}};
    if (i % 2 == 1 && i > 9) params.push_back({"momentum", floats(0, 1), 0.5});
    journal.trial(optuna::complete, params);
  }
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(kept(made), 35U) << made.yaml;
  EXPECT_NE(made.yaml.find("when: {opt: [sgd]}"), std::string::npos) << made.yaml;
  EXPECT_TRUE(leaves(made, "when momentum exists: opt tells it, but not in 5 of 40 trials"));
}

TEST(OptunaFit, OfTwoProgramsOneIsTaken) {
  Journal journal;
  for (int i = 0; i < 30; ++i)
    journal.trial(optuna::complete, {{i % 2 == 0 ? "a" : "b", floats(0, 1), 0.5}});
  EXPECT_EQ(kept(journal.imported()), 15U);
}

TEST(OptunaFit, ARangeHasAllThatTrialsHad) {
  Journal journal;
  add(journal, 1, {{"x", floats(0, 1), 0.9}, {"n", ints(1, 4), 1}});
  add(journal, 1, {{"x", floats(0.5, 0.75), 0.5}, {"n", ints(8, 9), 9}});
  const ImportedStudy made = journal.imported();
  EXPECT_NE(made.yaml.find("  x: {type: float, min: 0.0, max: 1.0}\n"), std::string::npos);
  EXPECT_NE(made.yaml.find("  n: {type: int, min: 1, max: 9}\n"), std::string::npos) << made.yaml;
  EXPECT_EQ(kept(made), 2U);
}

TEST(OptunaFit, OfParamsThatCameTogetherEachHasItsCount) {
  Journal journal;
  add(journal, 5,
      {{"sub", floats(0, 1), 0.5}, {"col", floats(0, 1), 0.5}, {"bin", floats(0, 1), 0.5}});
  add(journal, 10, {{"depth", floats(0, 1), 0.5}});
  const ImportedStudy made = journal.imported();
  for (const char* name : {"sub", "col", "bin"})
    EXPECT_TRUE(
        leaves(made, base::cat("param ", name, ", which 5 of 15 trials have: they stay behind")))
        << made.yaml;
  EXPECT_EQ(kept(made), 10U);
}

TEST(OptunaFit, ParamsOfSeveralStagesHaveTheirCountsEach) {
  for (const int first : {1, 2, 4}) {
    Journal journal;
    add(journal, first, {{"leaves", floats(0, 1), 0.5}, {"bag", floats(0, 1), 0.5}});
    add(journal, 2 * first, {{"sub", floats(0, 1), 0.5}, {"col", floats(0, 1), 0.5}});
    add(journal, 20, {{"depth", floats(0, 1), 0.5}});
    const ImportedStudy made = journal.imported();
    const auto left = [&](const char* name, int count) {
      return leaves(made, base::cat("param ", name, ", which ", count, " of ", 3 * first + 20,
                                    count == 1 ? " trials has: it stays behind"
                                               : " trials have: they stay behind"));
    };
    for (const char* name : {"leaves", "bag"}) EXPECT_TRUE(left(name, first)) << made.yaml;
    for (const char* name : {"sub", "col"}) EXPECT_TRUE(left(name, 2 * first)) << made.yaml;
  }
}

TEST(OptunaFit, RangesThatComeAndGoAreNamedOnce) {
  Journal journal;
  for (int i = 0; i < 50; ++i) add(journal, 1, {{"x", floats(0, 1 + i % 3), 0.5}});
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(std::ranges::count_if(made.notes.lines(),
                                  [](const std::string& line) {
                                    return line.find("ranges of x") != std::string::npos;
                                  }),
            1);
  EXPECT_EQ(kept(made), 50U);
}

std::string stepped(const char* kind, double low, double high, double step, bool log = false) {
  return base::cat(R"({"name": ")", kind, R"(Distribution", "attributes": {"step": )",
                   step > 0 ? base::cat(step) : "null", R"(, "low": )", low, R"(, "high": )", high,
                   R"(, "log": )", log ? "true" : "false", "}}");
}

/// The words for a param that was the one, and then the other.
std::string both(const std::string& before, const std::string& after) {
  OptunaDomain domain(before);
  return domain.widen(OptunaDomain(after)) ? domain.yaml() : "another kind";
}

TEST(OptunaDomain, WidensToTheStepsOfBoth) {
  EXPECT_EQ(both(stepped("Int", 2, 10, 4), stepped("Int", 8, 20, 6)),
            "type: int, min: 2, max: 20, step: 2");
  EXPECT_EQ(both(stepped("Int", 0, 9, 3), ints(6, 6)), "type: int, min: 0, max: 9, step: 3");
  EXPECT_EQ(both(stepped("Float", 0, 1, 0.25), stepped("Float", 0.5, 2, 0.25)),
            "type: float, min: 0.0, max: 2.0, step: 0.25");
  for (const std::string& other : {stepped("Float", 0.1, 1.1, 0.25), stepped("Float", 0, 1, 0.5),
                                   floats(0, 1), stepped("Float", 0.3, 0.3, 0)})
    EXPECT_EQ(both(stepped("Float", 0, 2, 0.25), other), "type: float, min: 0.0, max: 2.0");
}

TEST(OptunaDomain, WidensInTheLaterScaleWhereItHasOne) {
  EXPECT_EQ(both(floats(0.5, 1), stepped("Float", 0.25, 1, 0, true)),
            "type: float, min: 0.25, max: 1.0, scale: log");
  EXPECT_EQ(both(floats(0, 1), stepped("Float", 0.25, 1, 0, true)),
            "type: float, min: 0.0, max: 1.0");
  EXPECT_EQ(both(stepped("Int", 1, 9, 1, true), stepped("Int", 3, 9, 2)),
            "type: int, min: 1, max: 9");
}

TEST(OptunaDomain, OfAnotherKindStandsForItself) {
  EXPECT_EQ(both(ints(1, 2), floats(1, 2)), "another kind");
  Journal journal;
  add(journal, 1, {{"k", choices(R"(["a", "b"])"), 0}});
  add(journal, 2, {{"k", choices(R"(["b", "c"])"), 0}});
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(leaves(made, "earlier values of k, which were of another kind"));
  EXPECT_EQ(*made.trials.at(0).params.find("k"), ParamValue(std::string("a")));
  EXPECT_EQ(kept(made), 2U);
}

}  // namespace
}  // namespace hpo
