#pragma once
// The first passes over a CSV file: which columns there are, what they hold, what becomes of them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/data_spec.h"
#include "nn/data/dates.h"
#include "nn/data/load.h"
#include "nn/data/number_format.h"

namespace nn {

/// Texts that a column may hold and still become one input each; more are hashed.
inline constexpr std::size_t kMaxCategories = 50;
/// Inputs that the texts of a hashed column share.
inline constexpr std::uint32_t kHashInputs = 64;
/// A column of fewer rows is never taken for one that numbers them, or for names of the rows.
inline constexpr std::size_t kFewestForIds = 20;
/// A number gets an input that tells missing values apart when at least this share of them is.
inline constexpr double kIndicatorShare = 0.01;

enum class ColumnRole { ignored, target, number, categories, hashed, date };

/// Why a column is ignored.
enum class LeftOut { asked, split, empty, row_number, row_name, id, one_text };

/// Where a row stands.
struct RowPlace {
  std::size_t index = 0;   ///< among all rows
  std::size_t file = 0;    ///< 0 or 1
  std::size_t record = 0;  ///< among the records of its file, those that are no rows included
};

/// What the values of a column have in common.
struct ColumnCounts {
  std::size_t numbers = 0, texts = 0, missing = 0;
  std::size_t nones = 0;   ///< of the texts, those that mean missing among numbers
  bool bytes = true;       ///< its numbers are whole and in 0..255
  bool constant = true;    ///< all of its values are written alike
  bool row_number = true;  ///< n, n + 1, n + 2, ... in the order of each file's records
  bool whole = true;       ///< its numbers are whole
  bool clock = false;      ///< some date has a time of day
  double least = 0, largest = 0;
  double first_number = 0;      ///< of its file, if it numbers the records
  std::size_t number_file = 0;  ///< the file of the last number
  bool short_year = false;      ///< some date has a year of two digits
  /// By DateOrder: texts that are no such date, and the first of them. Where these are many, all
  /// texts that follow count.
  struct Undated {
    std::size_t texts = 0;
    CsvField first;
    std::size_t file = 0;
  };
  std::array<Undated, 6> undated;
  CsvField first;             ///< the first value
  CsvField first_text;        ///< the first field that is no number (nor a word for missing)
  std::size_t text_file = 0;  ///< the file that it is in
  bool zeros = false;         ///< some whole number has a zero in front, as codes have
  std::size_t gaps = 0;       ///< of the missing, those that NumberFormat::gaps makes so
  CsvField first_gap;

  void add(double number, const RowPlace& place);
  /// Whether all of its values are dates of one order.
  [[nodiscard]] bool are_dates() const {
    return numbers == 0 && texts > nones &&
           std::ranges::any_of(orders(), [](const Undated& one) { return one.texts == 0; });
  }
  [[nodiscard]] std::span<const Undated> orders() const { return std::span(undated).subspan(1); }
};

/// A text in a column of something else that is too rare to be meant, or the words of one that may
/// stand for no value.
struct ColumnSlip {
  CsvField at;
  std::size_t file = 0;
  std::string what;        ///< that is expected: "number", "date"
  std::size_t others = 0;  ///< rows that have it
  std::vector<std::string> words = {};
};

struct CsvColumn {
  std::string name;  ///< from the first line, or "c" and the number of the column
  ColumnRole role = ColumnRole::number;
  LeftOut why = LeftOut::asked;  ///< of an ignored one
  bool keep = false;             ///< the study says that it is an input
  bool categorical = false;      ///< the study says that its values are categories
  ColumnCounts counts;
  std::vector<std::string> categories;  ///< in sorted order
  DateOrder date = DateOrder::none;
  bool ambiguous = false;  ///< its dates could be read with days and months exchanged
  NumberFormat format;     ///< of its numbers
  double offset = 0;       ///< taken off its numbers (offset_of)
  std::optional<ColumnSlip> slip;

  /// Whether it feeds inputs of the network.
  [[nodiscard]] bool is_input() const {
    return role != ColumnRole::ignored && role != ColumnRole::target;
  }
};

/// One or two CSV texts: the second is the test part.
using CsvFiles = std::span<const CsvText>;

/// A table as far as it is known before any value is stored. Rows without a target do not count.
struct CsvSurvey {
  bool header = false;     ///< the first record names the columns
  bool row_names = false;  ///< and has no field for the first one, which names the rows
  std::size_t rows = 0;
  std::size_t test_rows = 0;  ///< the last of them: those of the second file
  std::size_t without_target = 0;
  std::size_t first_row = 0;  ///< the line of the first row
  std::size_t comments = 0;   ///< lines that were left out
  std::vector<CsvColumn> columns;
  std::set<std::string> doubled;            ///< names that the header has more than once
  std::vector<std::size_t> target_columns;  ///< indices into columns
  std::set<std::size_t> none_is_missing;    ///< of these, numbers among which words mean missing
  std::vector<std::size_t> test_places;     ///< of the columns in the second file; empty: the same
  std::optional<std::size_t> split_by;      ///< the column of split.group or split.time
  std::vector<CsvField> targets;            ///< [rows, target_columns]; point into the text
  std::vector<CsvField> order;              ///< the same of the column that splits
  std::vector<std::string> notes;

  [[nodiscard]] bool is_target(std::size_t column) const;
  [[nodiscard]] std::vector<std::string> target_names() const;
  /// Whether a record has nothing in one of the targets' columns: it is no row then.
  [[nodiscard]] bool lacks_target(const std::vector<CsvField>& record) const;
  /// Puts a record of a file into the order of the columns.
  void put_in_order(std::size_t file, std::vector<CsvField>& record) const;
  /// The file that a row is in, by its index.
  [[nodiscard]] std::size_t file_of(std::size_t row) const {
    return row < rows - test_rows ? 0 : 1;
  }
};

/// Looks at every record that the spec asks for. A column is numbers when all of its values are,
/// perhaps in one NumberFormat;
/// dates when all of its values are, written in one way; texts when they are more than a tenth of
/// its values; fewer, among numbers or dates, are taken for slips and are an error. Texts in at
/// most kMaxCategories kinds become one input each, more share kHashInputs. Left out, unless the
/// study keeps them: columns without a value, with one text in all rows, that number or name the
/// rows, whose every row has a text of its own, and the one that the split goes by. The notes say
/// all of that. Throws DataError: records of uneven length, unknown names, doubled ones that the
/// spec means, no rows, a last row that sums up the others, nothing to learn from, a second table
/// with other columns.
[[nodiscard]] CsvSurvey survey(CsvFiles files, const DataSpec& spec, const LoadLimits& limits);

/// Moves behind the header, if there is one, and what is left out below it. Returns the header's
/// line; 0 without.
std::size_t pass_header(CsvCursor& cursor, const CsvText& csv, const CsvSurvey& table,
                        std::vector<CsvField>& fields);

/// Calls `row(place, fields)` for each row that the survey counted.
template <class Function>
void for_each_row(CsvFiles files, const CsvSurvey& table, Function&& row) {
  std::vector<CsvField> fields;
  RowPlace place;
  for (; place.file < files.size(); ++place.file) {
    CsvCursor cursor(files[place.file]);
    (void)pass_header(cursor, files[place.file], table, fields);
    const std::size_t end = place.file == 0 ? table.rows - table.test_rows : table.rows;
    for (place.record = 0; place.index < end && cursor.next(fields); ++place.record) {
      table.put_in_order(place.file, fields);
      if (table.lacks_target(fields)) continue;
      row(std::as_const(place), fields);
      ++place.index;
    }
  }
}

}  // namespace nn
