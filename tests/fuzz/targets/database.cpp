// Databases of Optuna: what stands in their rows. An input is a list of rows, one a line: a word
// for the table and the cells, with tabs between them.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hpo/import/optuna.h"
#include "hpo/import/optuna_database.h"
#include "hpo/log/sqlite.h"
#include "tests/fuzz/fuzz.h"

namespace {

struct Table {
  std::string_view word, name, columns;
  int width;
};

constexpr Table kTables[]{
    {"study", "studies", "study_id, study_name", 2},
    {"direction", "study_directions", "study_id, direction, objective", 3},
    {"attribute", "study_system_attributes", "study_id, key, value_json", 3},
    {"trial", "trials", "trial_id, study_id, state", 3},
    {"param", "trial_params", "trial_id, param_name, param_value, distribution_json", 4},
    {"value", "trial_values", "trial_id, value, value_type, objective", 4},
    {"report", "trial_intermediate_values",
     "trial_id, step, intermediate_value, intermediate_value_type", 4}};

std::vector<std::string_view> cut(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

void bind(hpo::sql::Statement& row, int column, std::string_view cell) {
  if (cell.empty())
    row.bind_null(column);
  else if (const auto whole = base::parse_int(cell))
    row.bind(column, *whole);
  else if (const auto number = base::parse_double(cell))
    row.bind(column, *number);
  else
    row.bind(column, cell);
}

void fill(hpo::sql::Database& db, std::string_view input) {
  const std::vector<std::string_view> lines = cut(input, '\n');
  for (const Table& table : kTables) {
    db.exec(base::cat("CREATE TABLE ", table.name, " (", table.columns, ")").c_str());
    std::string places = "?";
    for (int i = 1; i < table.width; ++i) places += ", ?";
    hpo::sql::Statement row(db, base::cat("INSERT INTO ", table.name, " VALUES (", places, ")"));
    for (const std::string_view line : lines) {
      std::vector<std::string_view> cells = cut(line, '\t');
      if (cells[0] != table.word) continue;
      cells.resize(static_cast<std::size_t>(table.width) + 1);
      for (int i = 0; i < table.width; ++i) bind(row, i, cells[static_cast<std::size_t>(i) + 1]);
      row.run();
    }
  }
}

}  // namespace

void fuzz::feed(std::string_view input) {
  const base::Path path = std::filesystem::temp_directory_path() /
                          base::cat("trellis-fuzz-", static_cast<std::int64_t>(::getpid()), ".db");
  std::filesystem::remove(path);
  {
    hpo::sql::Database db(path, hpo::sql::Access::create);
    db.exec("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 512");
    fill(db, input);
  }
  try {
    const hpo::ImportedStudy made =
        hpo::import_optuna(hpo::read_optuna_database(path, "s.db", ""), "s.db", "");
    (void)hpo::study_made(made.yaml, "s.db", "study.yaml");
  } catch (const base::Error& error) {
    promise_message(error.what());
  }
  std::filesystem::remove(path);
}
