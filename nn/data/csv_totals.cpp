#include "nn/data/csv_totals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "nn/data/csv_layout.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

constexpr std::size_t kFewest = 5;  // rows

/// One of the targets in the rows of one file.
struct TargetOfFile {
  const CsvSurvey& table;
  std::size_t begin, end;  ///< rows
  std::size_t target;      ///< a place in table.target_columns

  [[nodiscard]] const CsvField& at(std::size_t row) const {
    return table.targets[row * table.target_columns.size() + target];
  }
};

/// Its numbers; nothing where some field is none.
std::optional<std::vector<double>> numbers_of(const CsvText& csv, const TargetOfFile& from) {
  std::vector<double> numbers;
  const auto read = [&](const NumberFormat& format) {
    numbers.clear();
    double number = 0;
    for (std::size_t row = from.begin; row < from.end; ++row) {
      if (read_number(from.at(row), format, number) != FieldKind::number) return false;
      numbers.push_back(number);
    }
    return true;
  };
  if (read({})) return numbers;
  NumberFormatFinder finder;
  for (std::size_t row = from.begin; row < from.end; ++row) {
    if (!finder.add(from.at(row))) return {};
  }
  const auto format = finder.found(csv);
  return format && read(*format) ? std::optional(std::move(numbers)) : std::nullopt;
}

bool last_is_sum(const std::vector<double>& numbers) {
  constexpr double kRounding = 1e-6;
  if (numbers.size() < kFewest) return false;
  double sum = 0, sizes = 0;
  std::size_t zeros = 0;
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    sum += numbers[i];
    sizes += std::abs(numbers[i]);
    zeros += numbers[i] == 0 ? 1 : 0;
  }
  return 2 * zeros < numbers.size() && 2 * std::abs(sum) > sizes &&
         std::abs(numbers.back() - sum) <= kRounding * sizes;
}

bool is_total_word(const CsvField& field) {
  constexpr std::array<std::string_view, 8> kWords{"total", "totals", "grand total", "sum",
                                                   "summe", "gesamt", "gesamtsumme", "totale"};
  std::string word = base::lowered(field.value());
  if (word.ends_with(':')) word.pop_back();
  return std::ranges::find(kWords, word) != kWords.end();
}

/// Whether the last number is larger than all others.
bool last_is_largest(const std::vector<double>& numbers) {
  return numbers.size() >= kFewest && std::ranges::max_element(numbers) == numbers.end() - 1;
}

/// What tells a row from those that are one.
struct Mark {
  bool gap = false;          ///< it lacks a value
  std::string word;          ///< such as Total
  bool word_before = false;  ///< some row before has such a word
};

Mark mark_of(CsvFiles files, const CsvSurvey& table, std::size_t row) {
  Mark mark;
  for_each_row(files, table, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
    const auto word = std::ranges::find_if(fields, is_total_word);
    if (place.index < row) mark.word_before = mark.word_before || word != fields.end();
    if (place.index != row) return;
    mark.gap = std::ranges::any_of(fields, is_missing);
    if (word != fields.end()) mark.word = word->value();
  });
  return mark;
}

}  // namespace

void refuse_totals(CsvFiles files, const CsvSurvey& table) {
  for (std::size_t file = 0; file < files.size(); ++file) {
    const std::size_t boundary = table.rows - table.test_rows;
    const std::size_t begin = file == 0 ? 0 : boundary, end = file == 0 ? boundary : table.rows;
    for (std::size_t target = 0; target < table.target_columns.size(); ++target) {
      const TargetOfFile from{table, begin, end, target};
      const auto numbers = numbers_of(files[file], from);
      if (!numbers) continue;
      const bool sum = last_is_sum(*numbers);
      if (!sum && !last_is_largest(*numbers)) continue;
      const Mark mark = mark_of(files, table, end - 1);
      const bool largest = mark.gap && !mark.word.empty() && !mark.word_before;
      if (sum ? !mark.gap && mark.word.empty() : !largest) continue;
      const CsvField& at = from.at(end - 1);
      throw DataError(files[file].path, at.line, at.column,
                      in_quotes(at.value()) +
                          (sum ? " is the sum of the other rows of the target "
                               : ", called " + in_quotes(mark.word) +
                                     ", is larger than all other rows of the target ") +
                          in_quotes(table.columns[table.target_columns[target]].name) +
                          ", expected a row of its own; in data: `" + longer_footer(files[file]) +
                          "` leaves the last line out");
    }
  }
}

}  // namespace nn
