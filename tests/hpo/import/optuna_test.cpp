#include "hpo/import/optuna.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/import/optuna_database.h"
#include "hpo/import/optuna_journal.h"
#include "hpo/log/sqlite.h"
#include "tests/support/temp_folder.h"

namespace hpo {
namespace {

const base::Path kGolden = base::Path(TRELLIS_SOURCE_ROOT) / "tests/golden";

std::string golden_text(const char* name) { return base::read_file(kGolden / name); }

double number(const nlohmann::json& json) {
  return json.is_string() ? std::stod(json.get<std::string>()) : json.get<double>();
}

ParamValue value(const nlohmann::json& json) {
  if (json.is_null()) return std::string("None");
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  return json.get<std::string>();
}

void expect_same(double ours, double theirs, const std::string& what) {
  EXPECT_TRUE(ours == theirs || (std::isnan(ours) && std::isnan(theirs)))
      << what << ": " << ours << ", expected " << theirs;
}

ImportedStudy import_journal(const std::string& text, const std::string& name) {
  return import_optuna(read_optuna_journal(text, "j.log"), "j.log", name);
}

ImportedStudy import_database(const base::Path& path, const std::string& name) {
  return import_optuna(read_optuna_database(path, "s.db", name), "s.db", name);
}

/// Compares with what Optuna read in both of its storages.
void expect_as_optuna_reads_it(const ImportedStudy& ours) {
  auto theirs = nlohmann::json::parse(golden_text("optuna_trials.json"));
  std::erase_if(theirs.get_ref<nlohmann::json::array_t&>(), [](const nlohmann::json& trial) {
    return trial["state"] == "RUNNING" || trial["state"] == "WAITING";
  });
  const std::map<std::string, TrialState> states{{"COMPLETE", TrialState::complete},
                                                 {"PRUNED", TrialState::stopped},
                                                 {"FAIL", TrialState::failed}};
  const std::map<std::string, std::string> renamed{{"some.word", "some_word"},
                                                   {"some word", "some_word_2"}};
  ASSERT_EQ(ours.trials.size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const std::string where = base::cat("trial ", i);
    const ImportedTrial& mine = ours.trials[i];
    EXPECT_EQ(mine.state, states.at(theirs[i]["state"])) << where;
    if (!theirs[i]["value"].is_null() && mine.state == TrialState::complete)
      expect_same(mine.values.at(0), number(theirs[i]["value"]), where);
    ASSERT_EQ(mine.params.size(), theirs[i]["params"].size()) << where;
    for (const auto& [name, theirs_value] : theirs[i]["params"].items()) {
      const auto known = renamed.find(name);
      const ParamValue* found = mine.params.find(known == renamed.end() ? name : known->second);
      ASSERT_NE(found, nullptr) << where << " " << name;
      if (theirs_value.is_number_float())
        EXPECT_NEAR(std::get<double>(*found), theirs_value.get<double>(), 1e-12) << where;
      else
        EXPECT_EQ(*found, value(theirs_value)) << where << " " << name;
    }
    ASSERT_EQ(mine.reports.size(), theirs[i]["reports"].size()) << where;
    for (const auto& [step, report] : theirs[i]["reports"].items()) {
      expect_same(mine.reports.at(std::stoll(step)), number(report), where);
    }
  }
}

TEST(OptunaJournal, IsReadAsOptunaReadsIt) {
  expect_as_optuna_reads_it(import_journal(golden_text("optuna_journal.log"), "kept"));
}

TEST(OptunaDatabase, IsReadAsOptunaReadsIt) {
  expect_as_optuna_reads_it(import_database(kGolden / "optuna.db", "kept"));
}

TEST(OptunaDatabase, SaysTheSameAsTheJournal) {
  for (const char* name : {"kept", "other"}) {
    const ImportedStudy database = import_database(kGolden / "optuna.db", name);
    EXPECT_EQ(database.yaml, import_journal(golden_text("optuna_journal.log"), name).yaml);
  }
  const ImportedStudy other = import_database(kGolden / "optuna.db", "other");
  EXPECT_NE(other.yaml.find("{name: speed, goal: maximize}"), std::string::npos) << other.yaml;
  EXPECT_EQ(other.trials.at(1).values.at(1), HUGE_VAL);
}

TEST(OptunaDatabase, OpensThroughALink) {
  const support::TempFolder folder;
  std::filesystem::create_symlink(kGolden / "optuna.db", folder / "link.db");
  EXPECT_EQ(import_database(folder / "link.db", "kept").trials.size(),
            import_database(kGolden / "optuna.db", "kept").trials.size());
}

/// Copies the database, changes it, and says what becomes of reading it.
std::string refusal_after(const char* change) {
  const support::TempFolder folder;
  const base::Path path = folder / "s.db";
  base::write_file_atomic(path, golden_text("optuna.db"));
  sql::Database(path, sql::Access::create).exec(change);
  try {
    (void)import_database(path, "kept");
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(OptunaDatabase, RefusesInWordsWhatIsNotOptunas) {
  EXPECT_EQ(refusal_after("UPDATE trials SET state = 'FINE' WHERE number = 2"),
            "s.db: FINE is not a word of Optuna's");
  EXPECT_EQ(refusal_after("ALTER TABLE trial_values DROP COLUMN value_type"),
            "s.db: trial_values has no column value_type, expected a database of Optuna 3 to 5: "
            "`optuna storage upgrade` brings an older one there");
  EXPECT_EQ(refusal_after("DROP TABLE trial_params; CREATE VIEW trial_params AS SELECT 1"),
            "s.db: it has no table trial_params, expected a database of Optuna 3 to 5");
  EXPECT_NE(refusal_after("UPDATE trial_params SET param_value = NULL WHERE param_name = 'lr'")
                .find("s.db: the param lr of trial_id "),
            std::string::npos);
  EXPECT_NE(refusal_after("UPDATE trial_params SET distribution_json = '{'").find("s.db: param "),
            std::string::npos);
  EXPECT_NE(refusal_after("UPDATE trial_intermediate_values SET step = 9223372036854775807 WHERE "
                          "step = 2 AND trial_id = (SELECT min(trial_id) FROM "
                          "trial_intermediate_values)")
                .find("s.db: the step 9223372036854775807 of trial_id "),
            std::string::npos);
  EXPECT_EQ(refusal_after("INSERT INTO study_system_attributes (study_id, key, value_json) SELECT "
                          "study_id, 'study:metric_names', '7]' FROM studies WHERE study_name = "
                          "'kept'"),
            "s.db: study:metric_names is 7], expected a list of strings");
}

TEST(OptunaDatabase, RefusesTextsThatAreMadeWhileTheyAreRead) {
  EXPECT_NE(refusal_after("ALTER TABLE trial_params RENAME COLUMN param_name TO once; "
                          "ALTER TABLE trial_params ADD COLUMN param_name TEXT AS "
                          "(hex(zeroblob(400000000)))")
                .find("too big"),
            std::string::npos);
}

TEST(OptunaDatabase, RefusesWhatIsDamaged) {
  const support::TempFolder folder;
  const base::Path path = folder / "s.db";
  const std::string whole = golden_text("optuna.db");
  for (const std::size_t length : {std::size_t{100}, whole.size() / 3, whole.size() / 2}) {
    base::write_file_atomic(path, whole.substr(0, length));
    try {
      (void)import_database(path, "kept");
      ADD_FAILURE() << length << " bytes were read";
    } catch (const base::Error& error) {
      const std::string what = error.what();
      EXPECT_NE(what.find("is damaged or not a database of Optuna"), std::string::npos) << what;
      EXPECT_NE(what.find("bring it back from a copy"), std::string::npos) << what;
      EXPECT_EQ(what.find("--dir"), std::string::npos) << what;
    }
  }
}

TEST(OptunaJournal, EndsWithALineThatSomebodyDiedOver) {
  const std::string whole = golden_text("optuna_journal.log");
  const ImportedStudy expected = import_journal(whole, "kept");
  const ImportedStudy torn = import_journal(whole + "{\"op_code\": 4, \"wor", "kept");
  EXPECT_EQ(torn.trials.size(), expected.trials.size());
  EXPECT_THROW((void)import_journal("{\"op_code\": 4, \"wor\n" + whole, "kept"), base::Error);
}

TEST(OptunaJournal, BecomesAStudyThatHasItsTrials) {
  const ImportedStudy made = import_journal(golden_text("optuna_journal.log"), "kept");
  const StudySpec study = study_made(made.yaml, "journal.log", "journal.yaml");
  EXPECT_EQ(study.metric.goal, Goal::maximize);
  for (std::size_t i = 0; i + 1 < made.trials.size(); ++i)
    EXPECT_EQ(study.space.reason_outside(made.trials[i].params), "") << i;
  EXPECT_NE(made.yaml.find("\"$$HOME\""), std::string::npos) << made.yaml;
}

TEST(OptunaJournal, SaysWhichStudiesThereAre) {
  const auto refusal = [](const std::string& name) -> std::string {
    try {
      (void)import_journal(golden_text("optuna_journal.log"), name);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal(""),
            "j.log: there are several studies, expected one of kept, other with --study");
  EXPECT_EQ(refusal("gone"),
            "j.log: there is no such study, expected one of kept, other with --study");
  const support::TempFolder folder;
  base::write_file_atomic(folder / "s.db", golden_text("optuna.db"));
  sql::Database(folder / "s.db", sql::Access::create).exec("DELETE FROM studies");
  try {
    (void)import_database(folder / "s.db", "");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "s.db: it holds no study");
  }
}

/// A journal of one trial with one param.
std::string journal_of(const std::string& distribution) {
  return base::cat(
      R"({"op_code": 0, "study_name": "s", "directions": [1]})", "\n",
      R"({"op_code": 4, "study_id": 0, "datetime_start": null})", "\n",
      R"({"op_code": 5, "trial_id": 0, "param_name": "x", "param_value_internal": 0, )",
      R"("distribution": )", base::quote_json(distribution), "}\n",
      R"({"op_code": 6, "trial_id": 0, "state": 1, "values": [1.5]})", "\n");
}

std::string refusal_of(const std::string& distribution) {
  try {
    const ImportedStudy made = import_journal(journal_of(distribution), "");
    (void)study_made(made.yaml, "j.log", "j.yaml");
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

std::string choices_line(const std::string& list) {
  return base::cat(R"({"name": "CategoricalDistribution", "attributes": {"choices": )", list, "}}");
}

TEST(OptunaJournal, RefusesInWordsWhatNoStudyFileHas) {
  EXPECT_EQ(refusal_of(choices_line(R"(["a", "nan", "NaN"])")), "");
  EXPECT_EQ(
      refusal_of(choices_line("[[1, 2], [3]]")),
      "j.log: param x has the choice [1, 2], expected strings, numbers, true, false and None");
  EXPECT_NE(refusal_of(choices_line("[NaN, 1.0]"))
                .find("param x has a bound or a choice that is not a number"),
            std::string::npos);
  EXPECT_NE(refusal_of(choices_line(R"(["None", null])")).find("param x has the choice None twice"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"name": "IntDistribution", "attributes": {"step": 1, "low": 0, "high": )"
                       R"(9007199254740992, "log": false}})")
                .find("param x has the int 9"),
            std::string::npos);
  EXPECT_NE(refusal_of(R"({"name": "OddDistribution", "attributes": {}})")
                .find("param x the distribution OddDistribution is unknown"),
            std::string::npos);
}

}  // namespace
}  // namespace hpo
