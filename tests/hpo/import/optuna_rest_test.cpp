// What a study of Optuna has besides its params and values: constraints, trials that wait,
// attributes.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "hpo/ask/asked_study.h"
#include "hpo/driver/adopt.h"
#include "hpo/import/optuna_database.h"
#include "hpo/log/sqlite.h"
#include "hpo/log/study_reader.h"
#include "tests/hpo/import/journal.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

using optuna::floats;
using optuna::Journal;
using Param = Journal::Param;

Param x_at(double value) { return {"x", floats(0, 1), value}; }

bool is_said(const ImportedStudy& made, const std::string& line) {
  const std::vector<std::string>& lines = made.notes.lines();
  return std::ranges::find(lines, line) != lines.end();
}

bool is_left_out(const ImportedStudy& made, const std::string& what) {
  return is_said(made, "not carried over: " + what);
}

/// The study in a folder of its own, written as `trellis import` does.
class Written {
 public:
  explicit Written(const ImportedStudy& made) : spec(study_made(made.yaml, "j.log", "j.yaml")) {
    write_imported(spec, made.trials, folder / "run");
  }
  const support::TempFolder folder;
  const StudySpec spec;
};

TEST(OptunaConstraints, BecomeBoundsThatBestKeeps) {
  Journal journal;
  journal.trial(optuna::complete, {x_at(0.0)}, {R"("constraints": [0.5, -1])"});
  const int good = journal.trial(optuna::complete, {x_at(0.5)}, {R"("constraints": [0.0, -2])"});
  journal.trial(optuna::failed, {x_at(0.25)}, {R"("constraints": null)"});
  const ImportedStudy made = journal.imported();
  EXPECT_NE(made.yaml.find("subject_to: {constraint0: 0, constraint1: 0}\n"), std::string::npos)
      << made.yaml;
  const Written written(made);
  const StudyReader study(written.folder / "run");
  const Objective objective = study.objective();
  EXPECT_EQ(objective.violation(study.trial(0)->metrics), 0.5);
  const std::vector<TrialRow> trials = study.trials();
  EXPECT_EQ(best_of(trials, objective)->trial, static_cast<std::uint64_t>(good));
}

TEST(OptunaConstraints, StandAtATrialsLastReport) {
  Journal journal;
  const int trial = journal.trial(optuna::running, {x_at(0.5)}, {R"("constraints": [1.5])"});
  for (int step = 0; step < 2; ++step)
    journal.line(base::cat(R"({"op_code": 7, "trial_id": )", trial, R"(, "step": )", step,
                           R"(, "intermediate_value": 0.5})"));
  journal.line(
      base::cat(R"({"op_code": 6, "trial_id": )", trial, R"(, "state": 2, "values": null})"));
  const Written written(journal.imported());
  const StudyReader study(written.folder / "run");
  EXPECT_EQ(study.objective().violation(study.trial(0)->metrics), 1.5);
}

TEST(OptunaConstraints, HaveTheirNamesAndNoneOfAMetric) {
  Journal journal;
  journal.line(R"({"op_code": 3, "study_id": 0, "system_attr": {"study:metric_names": ["size"]}})");
  journal.trial(optuna::complete, {x_at(0.5)},
                {R"("constraints:size": 2)", R"("constraints:mem GB": -1)"});
  const ImportedStudy made = journal.imported();
  EXPECT_NE(made.yaml.find("subject_to: {mem_GB: 0, constraint_size: 0}\n"), std::string::npos)
      << made.yaml;
  EXPECT_TRUE(is_said(made, "renamed size to constraint_size"));
  EXPECT_EQ(made.trials.at(0).constraints, (Metrics{{"mem_GB", -1}, {"constraint_size", 2}}));
}

TEST(OptunaInfinite, IsNoResultOrTheWorst) {
  Journal journal;
  const auto complete = [&](const char* value) {
    const int trial = journal.trial(optuna::running, {x_at(0.5)});
    journal.line(base::cat(R"({"op_code": 6, "trial_id": )", trial, R"(, "state": 1, "values": [)",
                           value, "]}"));
  };
  for (const char* value : {"-Infinity", "0.5", "Infinity"}) complete(value);
  const Written written(journal.imported());
  const StudyReader study(written.folder / "run");
  const std::vector<TrialRow> trials = study.trials();
  EXPECT_EQ(trials.at(0).state, TrialState::failed) << "better than any";
  EXPECT_EQ(trials.at(0).cause, Cause::diverged);
  EXPECT_EQ(trials.at(2).state, TrialState::complete);
  EXPECT_EQ(best_of(trials, study.objective())->trial, 1U);
}

TEST(OptunaWaiting, IsTriedFirstOnceTheStudyGoesOn) {
  Journal journal;
  journal.trial(optuna::complete, {x_at(0.5), {"n", optuna::ints(1, 8), 2}});
  journal.enqueue(R"({"n": 7, "x": 0.125})");
  journal.enqueue(R"({"n": 3})");
  const ImportedStudy made = journal.imported();
  EXPECT_NE(made.yaml.find("try_first:\n  - {n: 7, x: 0.125}\n  - {n: 3}\n"), std::string::npos)
      << made.yaml;
  const Written written(made);
  EventLog log(written.folder / "run");
  const auto changes = adopt(log, written.spec, nullptr, written.folder / "run");
  AskedStudy asked(written.spec, log, changes);
  EXPECT_EQ(asked.ask("").params, (Params{{"x", 0.125}, {"n", std::int64_t{7}}}));
  EXPECT_EQ(*asked.ask("").params.find("n"), ParamValue(std::int64_t{3}));
}

TEST(OptunaWaiting, IsNamedWhereTheSpaceHasNoSuchPoint) {
  Journal journal;
  journal.trial(optuna::complete, {x_at(0.5), {"k", optuna::choices(R"(["a", null])"), 0}});
  journal.enqueue(R"({"x": 2.5})");
  journal.enqueue(R"({"k": "b"})");
  journal.enqueue(R"({"unknown": 1})");
  journal.enqueue(R"({"x": [1]})");
  journal.enqueue("{}");
  journal.enqueue(R"({"k": null})");
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(is_left_out(
      made, "5 trials that wait (enqueue_trial): their values are not points of this space"))
      << made.yaml;
  EXPECT_NE(made.yaml.find("try_first:\n  - {k: None}\n"), std::string::npos) << made.yaml;
  (void)study_made(made.yaml, "j.log", "j.yaml");
}

TEST(OptunaRest, IsNamed) {
  Journal journal;
  journal.line(R"({"op_code": 2, "study_id": 0, "user_attr": {"team": "lab"}})");
  journal.line(R"({"op_code": 3, "study_id": 0, "system_attr": {"cma:0": "ff"}})");
  const int open = journal.trial(optuna::running, {x_at(0.5)}, {R"("grid_id": 3)"});
  journal.line(
      base::cat(R"({"op_code": 8, "trial_id": )", open, R"(, "user_attr": {"epoch": 7}})"));
  journal.trial(optuna::complete, {x_at(0.25)}, {R"("grid_id": 4)"});
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(is_left_out(made, "1 trial still running")) << made.yaml;
  EXPECT_TRUE(is_left_out(
      made, "user attributes of trials that have not ended, and of how many trials: epoch (1)"));
  EXPECT_TRUE(is_left_out(made, "user attributes of the study: team"));
  EXPECT_EQ(made.yaml.find("grid_id"), std::string::npos) << "what Optuna notes for itself";
  EXPECT_EQ(made.yaml.find("cma:0"), std::string::npos);
}

constexpr const char* kRangesOfX = "the changing ranges of x became one range with all of them";

TEST(OptunaRest, ARangeThatIsWrittenOtherwiseIsTheSame) {
  Journal journal;
  std::string whole = optuna::floats(0, 1), with_points = whole;
  with_points.replace(with_points.find("\"low\": 0"), 8, "\"low\": 0.0");
  ASSERT_NE(whole, with_points);
  journal.trial(optuna::complete, {{"x", whole, 0.5}});
  journal.trial(optuna::complete, {{"x", with_points, 0.25}});
  EXPECT_FALSE(is_said(journal.imported(), kRangesOfX));
  journal.trial(optuna::complete, {{"x", optuna::floats(0, 2), 0.25}});
  EXPECT_TRUE(is_said(journal.imported(), kRangesOfX));
}

TEST(OptunaRest, NumbersOfTheUserAreMetrics) {
  Journal journal;
  const int trial = journal.trial(optuna::running, {x_at(0.5)});
  journal.line(base::cat(R"({"op_code": 8, "trial_id": )", trial,
                         R"(, "user_attr": {"size": 35, "who": "me", "value": 3, "ok": true}})"));
  journal.line(
      base::cat(R"({"op_code": 6, "trial_id": )", trial, R"(, "state": 1, "values": [2]})"));
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(made.trials.at(0).metrics, (Metrics{{"size", 35}}));
  EXPECT_TRUE(is_left_out(
      made, "user attributes that are no numbers, and of how many trials: ok (1), who (1)"));
  EXPECT_TRUE(
      is_left_out(made,
                  "user attributes called as a metric or a constraint is, and of how many trials: "
                  "value (1)"));
  const Written written(made);
  EXPECT_EQ(StudyReader(written.folder / "run").trial(0)->metrics,
            (Metrics{{"value", 2}, {"size", 35}}));
}

TEST(OptunaRest, AnAttributeThatIsCalledAsAConstraintIsNamed) {
  Journal journal;
  const int trial = journal.trial(optuna::running, {x_at(0.5)}, {R"("constraints:size": 2)"});
  journal.line(
      base::cat(R"({"op_code": 8, "trial_id": )", trial, R"(, "user_attr": {"size": 35}})"));
  journal.line(
      base::cat(R"({"op_code": 6, "trial_id": )", trial, R"(, "state": 1, "values": [2]})"));
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(made.trials.at(0).metrics, Metrics{});
  EXPECT_TRUE(
      is_left_out(made,
                  "user attributes called as a metric or a constraint is, and of how many trials: "
                  "size (1)"))
      << made.yaml;
}

TEST(OptunaRest, LinesThatNoJournalHasAreCounted) {
  Journal journal;
  journal.trial(optuna::complete, {x_at(0.5)});
  EXPECT_EQ(journal.imported().yaml.find("the journal"), std::string::npos);
  journal.line(R"({"op_code": 42, "trial_id": 0})");
  const std::string unknown =
      "of the journal with an op_code that Optuna 4 and 5 do not have, "
      "first 42";
  const std::string lost = "of the journal about a trial that was never made";
  EXPECT_TRUE(is_left_out(journal.imported(), base::cat("1 line ", unknown)));
  journal.line(R"({"op_code": -7})");
  journal.line(R"({"op_code": 7, "trial_id": 9, "step": 1, "intermediate_value": 0.5})");
  journal.line(R"({"op_code": 8, "trial_id": -1, "user_attr": {"a": 1}})");
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(is_left_out(made, base::cat("2 lines ", unknown))) << made.yaml;
  EXPECT_TRUE(is_left_out(made, base::cat("2 lines ", lost))) << made.yaml;
  journal.line(R"({"op_code": 7, "trial_id": 0, "step": 1, "intermediate_value": 0.5})");
  EXPECT_EQ(journal.imported().notes.lines(), made.notes.lines())
      << "Optuna takes none of one that ended";
}

TEST(OptunaRest, TheValueStandsBesideTheReports) {
  Journal journal;
  for (int trial = 0; trial < 3; ++trial) {
    journal.trial(optuna::running, {x_at(0.25 * trial)});
    for (int step = 0; step < 2 && trial > 0; ++step)
      journal.line(base::cat(R"({"op_code": 7, "trial_id": )", trial, R"(, "step": )", step,
                             R"(, "intermediate_value": )", 5 - step, "}"));
    journal.line(base::cat(R"({"op_code": 6, "trial_id": )", trial, R"(, "state": 1, "values": [)",
                           trial == 1 ? 16 : 4, "]}"));
  }
  const Written written(journal.imported());
  const StudyReader study(written.folder / "run");
  const auto on_the_way = [&](std::uint64_t trial) {
    std::vector<double> values;
    const std::vector<EventRow> events = study.events(trial);
    for (const EventRow& event : events)
      if (event.kind == "reported" && event.vtime < events.back().vtime)
        values.push_back(base::Json::parse(event.payload()).at("value").number());
    return values;
  };
  EXPECT_EQ(on_the_way(0), std::vector<double>{}) << "it is told, not reported";
  EXPECT_EQ(on_the_way(1), (std::vector<double>{5, 4}));
  EXPECT_EQ(study.trial(1)->value, 16);
  EXPECT_EQ(on_the_way(2), (std::vector<double>{5, 4})) << "its last report is its value";
}

TEST(OptunaRest, StepsStayUnlessOneIsBelowZero) {
  const auto steps = [](const std::vector<std::vector<int>>& of_trials) {
    Journal journal;
    for (std::size_t trial = 0; trial < of_trials.size(); ++trial) {
      journal.trial(optuna::running, {x_at(0.25)});
      for (const int step : of_trials[trial])
        journal.line(base::cat(R"({"op_code": 7, "trial_id": )", trial, R"(, "step": )", step,
                               R"(, "intermediate_value": 1})"));
      journal.line(
          base::cat(R"({"op_code": 6, "trial_id": )", trial, R"(, "state": 1, "values": [1]})"));
    }
    return journal.imported();
  };
  const auto at = [](const ImportedStudy& made, std::size_t trial) {
    std::vector<std::int64_t> found;
    for (const auto& [step, value] : made.trials.at(trial).reports) found.push_back(step);
    return found;
  };
  const ImportedStudy whole = steps({{0, 5, 10}, {5, 10}});
  EXPECT_EQ(at(whole, 0), (std::vector<std::int64_t>{0, 5, 10}));
  EXPECT_EQ(at(whole, 1), (std::vector<std::int64_t>{5, 10}));
  const ImportedStudy moved = steps({{0, 5}, {-5, 5}});
  EXPECT_EQ(at(moved, 0), (std::vector<std::int64_t>{5, 10}));
  EXPECT_EQ(at(moved, 1), (std::vector<std::int64_t>{0, 10}));
  EXPECT_TRUE(is_said(moved, "steps below 0 became steps that are larger by 5"));
  const Written written(whole);
  EXPECT_EQ(StudyReader(written.folder / "run").trial(0)->step, 10);
}

TEST(OptunaRest, NamesWhatIsNoResultHereAndWhatIsATextHere) {
  Journal journal;
  journal.trial(optuna::running, {{"c", optuna::choices("[null, 1]"), 0}});
  journal.line(R"({"op_code": 6, "trial_id": 0, "state": 1, "values": [-Infinity]})");
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(is_said(made, "the value -inf of 1 trial became a failure; it is not a result"));
  EXPECT_TRUE(is_said(made, "None of c became the string None"));
}

TEST(OptunaRest, TrialsTakeAsLongAsTheyTook) {
  Journal journal;
  journal.line(R"({"op_code": 4, "study_id": 0, "datetime_start": "2026-11-20T23:59:58.250000"})");
  journal.line(R"({"op_code": 6, "trial_id": 0, "state": 1, "values": [1], )"
               R"("datetime_complete": "2026-11-21T00:00:00.750000"})");
  const ImportedStudy made = journal.imported();
  EXPECT_TRUE(is_left_out(made, "when trials began: all of them now, for as long as they took"));
  const Written written(made);
  EXPECT_EQ(StudyReader(written.folder / "run").trial(0)->seconds, 2.5);
}

TEST(OptunaRest, NamesThatMayStayStay) {
  Journal journal;
  journal.trial(optuna::complete,
                {{"enc.lr", floats(0, 1), 0.5}, {"enc_lr", floats(100, 200), 150}});
  const ImportedStudy made = journal.imported();
  EXPECT_EQ(made.trials.at(0).params, (Params{{"enc_lr_2", 0.5}, {"enc_lr", 150.0}}));
  EXPECT_TRUE(is_said(made, "renamed enc.lr to enc_lr_2"));
}

TEST(OptunaRest, IsReadFromADatabaseAsWell) {
  const support::TempFolder folder;
  const base::Path path = folder / "s.db";
  base::write_file_atomic(
      path, base::read_file(base::Path(TRELLIS_SOURCE_ROOT) / "tests/golden/optuna.db"));
  const std::string trial =
      "(SELECT min(trial_id) FROM trials JOIN studies USING (study_id) WHERE "
      "study_name = 'other')";
  sql::Database(path, sql::Access::create)
      .exec(base::cat("INSERT INTO trial_system_attributes (trial_id, key, value_json) SELECT ",
                      trial,
                      ", 'constraints', '[0.5, Infinity]'; INSERT INTO trial_user_attributes "
                      "(trial_id, key, value_json) SELECT ",
                      trial,
                      ", 'epoch', '7'; INSERT INTO trial_user_attributes "
                      "(trial_id, key, value_json) SELECT ",
                      trial,
                      ", 'who', '\"me\"'; UPDATE trials SET datetime_start = '2026-11-20 "
                      "09:30:00.250000', datetime_complete = '2026-11-20 09:30:01.000000' WHERE "
                      "trial_id = ",
                      trial,
                      "; INSERT INTO study_user_attributes (study_id, key, "
                      "value_json) SELECT study_id, 'team', '1' FROM studies")
                .c_str());
  const ImportedStudy made =
      import_optuna(read_optuna_database(path, "s.db", "other"), "s.db", "other");
  EXPECT_EQ(made.trials.at(0).constraints,
            (Metrics{{"constraint0", 0.5}, {"constraint1", HUGE_VAL}}));
  EXPECT_TRUE(
      is_left_out(made, "user attributes that are no numbers, and of how many trials: who (1)"))
      << made.yaml;
  EXPECT_TRUE(is_left_out(made, "user attributes of the study: team"));
  EXPECT_EQ(made.trials.at(0).metrics, (Metrics{{"epoch", 7}}));
  EXPECT_EQ(made.trials.at(0).seconds, 0.75);
  const Written written(made);

  sql::Database(path, sql::Access::create)
      .exec("UPDATE trial_system_attributes SET value_json = '[\"a\"]' WHERE key = 'constraints'");
  EXPECT_THROW((void)read_optuna_database(path, "s.db", "other"), base::Error);
}

}  // namespace
}  // namespace hpo
