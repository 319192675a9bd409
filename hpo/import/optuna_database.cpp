#include "hpo/import/optuna_database.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "hpo/log/sqlite.h"

namespace hpo {

namespace {

using namespace std::string_view_literals;

// In the order of OptunaTrial::state and OptunaStudy::directions.
constexpr std::array kStates{"RUNNING"sv, "COMPLETE"sv, "PRUNED"sv, "FAIL"sv, "WAITING"sv};
constexpr std::array kDirections{"NOT_SET"sv, "MINIMIZE"sv, "MAXIMIZE"sv};

/// Tables and columns that are read; all but the last two also stood in Optuna 2.
constexpr std::pair<const char*, const char*> kColumns[]{
    {"studies", "study_name"},
    {"study_directions", "objective"},
    {"study_system_attributes", "value_json"},
    {"study_user_attributes", "value_json"},
    {"trials", "state"},
    {"trials", "datetime_complete"},
    {"trial_params", "distribution_json"},
    {"trial_system_attributes", "value_json"},
    {"trial_user_attributes", "value_json"},
    {"trial_values", "value_type"},
    {"trial_intermediate_values", "intermediate_value_type"}};

/// Bytes of a text or row; columns can be made from nothing while they are read.
constexpr int kMostText = 1 << 24;

[[noreturn]] void refuse(const std::string& what) { throw base::Error(base::Errc::data, what); }

template <std::size_t N>
std::int64_t place_of(std::string_view word, const std::array<std::string_view, N>& words) {
  const auto found = std::ranges::find(words, word);
  if (found == words.end())
    refuse(base::cat(base::printable(word, 40), " is not a word of Optuna's"));
  return found - words.begin();
}

/// A value whose kind stands in the column behind it.
double value_of(const sql::Statement& row, int column) {
  const std::string_view kind = row.view(column + 1);
  if (kind == "INF_POS") return std::numeric_limits<double>::infinity();
  if (kind == "INF_NEG") return -std::numeric_limits<double>::infinity();
  if (kind == "NAN" || row.is_null(column)) return std::numeric_limits<double>::quiet_NaN();
  return row.number(column);
}

/// The texts of a list in JSON.
std::vector<std::string> names_in(const std::string& json) {
  std::vector<std::string> names;
  try {
    const base::Json list = base::Json::parse(json);
    for (const auto& [none, name] : list.members()) names.push_back(name.text());
  } catch (const base::Error&) {
    refuse(base::cat("study:metric_names is ", base::printable(json, 60),
                     ", expected a list of strings"));
  }
  return names;
}

class Reader {
 public:
  Reader(const base::Path& path, std::string name)
      : db_(path, sql::Access::read,
            {.what = "a database of Optuna", .remedy = "bring it back from a copy"}),
        name_(std::move(name)) {
    // A file from elsewhere may have views and triggers that call what it likes.
    db_.exec("PRAGMA trusted_schema = OFF");
    db_.limit_length(kMostText);
    db_.exec("BEGIN");
    require_tables();
  }

  OptunaStorage read() {
    studies();
    trials();
    params();
    values();
    reports();
    attributes();
    return std::move(storage_);
  }

 private:
  void require_tables() {
    sql::Statement find(db_,
                        "SELECT (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND "
                        "name = ?1), (SELECT count(*) FROM pragma_table_info(?1) WHERE name = ?2)");
    for (const auto& [table, column] : kColumns) {
      find.bind(0, std::string_view(table)).bind(1, std::string_view(column)).step();
      const bool known = find.integer(0) == 1, current = find.integer(1) == 1;
      find.reset();
      if (!known)
        refuse(base::cat("it has no table ", table, ", expected a database of Optuna 3 to 5"));
      if (!current)
        refuse(base::cat(table, " has no column ", column,
                         ", expected a database of Optuna 3 to 5: ",
                         "`optuna storage upgrade` brings an older one there"));
    }
  }

  void studies() {
    sql::Statement names(db_, "SELECT study_id, study_name FROM studies");
    while (names.step()) {
      const auto id = static_cast<std::size_t>(names.integer(0));
      storage_.studies[id].name = names.text(1);
    }
    sql::Statement directions(
        db_, "SELECT study_id, direction FROM study_directions ORDER BY study_id, objective");
    while (directions.step()) {
      const auto study = storage_.studies.find(static_cast<std::size_t>(directions.integer(0)));
      if (study != storage_.studies.end())
        study->second.directions.push_back(place_of(directions.view(1), kDirections));
    }
    sql::Statement metrics(db_,
                           "SELECT study_id, value_json FROM study_system_attributes WHERE key = "
                           "'study:metric_names'");
    while (metrics.step()) {
      const auto study = storage_.studies.find(static_cast<std::size_t>(metrics.integer(0)));
      if (study == storage_.studies.end()) continue;
      study->second.metrics = names_in(metrics.text(1));
    }
  }

  void trials() {
    sql::Statement rows(
        db_,
        "SELECT trial_id, study_id, state, datetime_start, datetime_complete FROM trials WHERE "
        "study_id IN (SELECT "
        "study_id FROM studies WHERE ?1 = '' OR study_name = ?1) ORDER BY trial_id");
    rows.bind(0, name_);
    while (rows.step()) {
      places_[rows.integer(0)] = storage_.trials.size();
      OptunaTrial& trial = storage_.trials.emplace_back();
      trial.study = static_cast<std::size_t>(rows.integer(1));
      trial.state = place_of(rows.view(2), kStates);
      trial.began = moment_of(rows.text(3));
      trial.came_to_end = moment_of(rows.text(4));
    }
  }

  /// Null for a trial of a study that nobody asked for.
  OptunaTrial* trial_of(const sql::Statement& row) {
    const auto place = places_.find(row.integer(0));
    return place == places_.end() ? nullptr : &storage_.trials[place->second];
  }

  void params() {
    sql::Statement rows(
        db_,
        "SELECT trial_id, param_name, param_value, distribution_json FROM trial_params ORDER BY "
        "trial_id, param_id");
    while (rows.step()) {
      OptunaTrial* trial = trial_of(rows);
      if (trial == nullptr) continue;
      const double internal = rows.is_null(2) ? NAN : rows.number(2);
      if (!std::isfinite(internal))
        refuse(base::cat("the param ", base::printable(rows.text(1), 60), " of trial_id ",
                         rows.integer(0), " is not a finite number"));
      trial->suggest(rows.text(1), internal, rows.text(3));
    }
  }

  void values() {
    sql::Statement rows(db_,
                        "SELECT trial_id, value, value_type FROM trial_values ORDER BY trial_id, "
                        "objective");
    while (rows.step())
      if (OptunaTrial* trial = trial_of(rows)) trial->values.push_back(value_of(rows, 1));
  }

  void reports() {
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    sql::Statement rows(db_,
                        "SELECT trial_id, step, intermediate_value, intermediate_value_type FROM "
                        "trial_intermediate_values");
    while (rows.step()) {
      OptunaTrial* trial = trial_of(rows);
      if (trial == nullptr) continue;
      const std::int64_t step = rows.integer(1);
      if (step < -kMost || step > kMost)
        refuse(base::cat("the step ", step, " of trial_id ", rows.integer(0), " is too large"));
      trial->reports[step] = value_of(rows, 2);
    }
  }

  void attributes() {
    sql::Statement of_studies(db_, "SELECT study_id, key FROM study_user_attributes");
    while (of_studies.step()) {
      const auto study = storage_.studies.find(static_cast<std::size_t>(of_studies.integer(0)));
      if (study != storage_.studies.end()) study->second.attributes.insert(of_studies.text(1));
    }
    sql::Statement noted(db_, "SELECT trial_id, key, value_json FROM trial_user_attributes");
    while (noted.step())
      if (OptunaTrial* trial = trial_of(noted)) trial->attributes[noted.text(1)] = noted.text(2);
    sql::Statement rows(db_, "SELECT trial_id, key, value_json FROM trial_system_attributes");
    while (rows.step())
      if (OptunaTrial* trial = trial_of(rows)) set_system(*trial, rows);
  }

  static void set_system(OptunaTrial& trial, const sql::Statement& row) {
    const std::string json = row.text(2);
    try {
      trial.set_system_attribute(row.text(1), base::Json::parse(json, kPythonJson));
    } catch (const base::Error&) {
      refuse(base::cat(base::printable(row.text(1), 60), " of trial_id ", row.integer(0), " is ",
                       base::printable(json, 60), ", expected numbers in JSON"));
    }
  }

  sql::Database db_;
  std::string name_;
  OptunaStorage storage_;
  std::map<std::int64_t, std::size_t> places_;  ///< by trial_id, in storage_.trials
};

}  // namespace

OptunaStorage read_optuna_database(const base::Path& path, const std::string& file,
                                   const std::string& name) {
  try {
    // SQLite's owner follows no link at the end of a path, and this one may well be one.
    std::error_code none;
    const base::Path real = std::filesystem::canonical(path, none);
    return Reader(none ? path : real, name).read();
  } catch (const base::Error& error) {
    if (error.kind() != base::Errc::data) throw;
    throw base::Error(base::Errc::data, base::cat(base::printable(file, 4096), ": ", error.what()));
  }
}

}  // namespace hpo
