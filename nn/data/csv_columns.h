#pragma once
// The first passes over a CSV file: which columns there are, what they hold, what becomes of them.

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/data_spec.h"
#include "nn/data/load.h"

namespace nn {

/// Texts that a column may hold and still become one input each.
inline constexpr std::size_t kMaxCategories = 50;

enum class ColumnRole { ignored, target, number, categories };

struct CsvColumn {
  std::string name;  ///< from the first line, or "c" and the number of the column
  ColumnRole role = ColumnRole::number;
  std::size_t numbers = 0, texts = 0, missing = 0;
  bool bytes = true;                              ///< its numbers are whole and in 0..255
  CsvField first_text;                            ///< the first field that is no number
  std::map<std::string, std::size_t> categories;  ///< ordinal by value, in sorted order

  /// Inputs of the network that this column feeds.
  [[nodiscard]] std::size_t inputs() const {
    return role == ColumnRole::number ? 1 : role == ColumnRole::categories ? categories.size() : 0;
  }
};

/// A CSV file as far as it is known before any value is stored.
struct CsvSurvey {
  bool header = false;  ///< the first record names the columns
  std::size_t rows = 0;
  std::vector<CsvColumn> columns;
  std::size_t target = 0;         ///< index into columns
  std::vector<CsvField> targets;  ///< the target's field of every row; points into the text
  std::vector<std::string> notes;
};

/// Looks at every record that the spec asks for. A column is numbers when all of its values are;
/// texts when they are more than a tenth of its values; fewer are taken for slips and are an error.
/// Texts in at most kMaxCategories kinds become one input each, columns with more are left out, and
/// so are columns without any value; the notes say so. Throws DataError: records of uneven length,
/// unknown or doubled names, no rows, nothing to learn from.
[[nodiscard]] CsvSurvey survey(const CsvText& csv, const DataSpec& spec, const LoadLimits& limits);

/// Calls `row(index, fields)` for each row that the survey counted.
template <class Function>
void for_each_row(const CsvText& csv, const CsvSurvey& table, Function&& row) {
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  if (table.header && !cursor.next(fields)) return;
  for (std::size_t i = 0; i < table.rows && cursor.next(fields); ++i) row(i, fields);
}

}  // namespace nn
