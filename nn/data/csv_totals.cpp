#include "nn/data/csv_totals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "nn/data/data_error.h"

namespace nn {

namespace {

/// One of the targets in the rows of one file.
std::vector<CsvField> targets_of(const CsvSurvey& table, std::size_t file, std::size_t target) {
  const std::size_t border = table.rows - table.test_rows, width = table.target_columns.size();
  std::vector<CsvField> fields;
  for (std::size_t row = file == 0 ? 0 : border; row < (file == 0 ? border : table.rows); ++row)
    fields.push_back(table.targets[row * width + target]);
  return fields;
}

/// Their numbers; nothing where some field is none.
std::optional<std::vector<double>> numbers_of(const CsvText& csv,
                                              const std::vector<CsvField>& fields) {
  double number = 0;
  const auto is_plain = [&](const CsvField& field) {
    return read_number(field, number) == FieldKind::number;
  };
  NumberFormat format;
  if (!std::ranges::all_of(fields, is_plain)) {
    NumberFormatFinder finder;
    for (const CsvField& field : fields) {
      if (!finder.add(field)) return {};
    }
    format = finder.found(csv).value_or(format);
  }
  std::vector<double> numbers;
  for (const CsvField& field : fields) {
    if (read_number(field, format, number) != FieldKind::number) return {};
    numbers.push_back(number);
  }
  return numbers;
}

bool last_is_sum(const std::vector<double>& numbers) {
  constexpr std::size_t kFewest = 5;
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
  std::string word = field.value();
  for (char& c : word) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (word.ends_with(':')) word.pop_back();
  return std::ranges::find(kWords, word) != kWords.end();
}

/// Whether a row lacks a value or says what it is.
bool is_marked(CsvFiles files, const CsvSurvey& table, std::size_t row) {
  bool marked = false;
  for_each_row(files, table, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
    if (place.index != row) return;
    marked = std::ranges::any_of(
        fields, [](const CsvField& field) { return is_missing(field) || is_total_word(field); });
  });
  return marked;
}

}  // namespace

void refuse_totals(CsvFiles files, const CsvSurvey& table) {
  for (std::size_t file = 0; file < files.size(); ++file) {
    const std::size_t last = (file == 0 ? table.rows - table.test_rows : table.rows) - 1;
    for (std::size_t target = 0; target < table.target_columns.size(); ++target) {
      const std::vector<CsvField> fields = targets_of(table, file, target);
      const auto numbers = numbers_of(files[file], fields);
      if (!numbers || !last_is_sum(*numbers) || !is_marked(files, table, last)) continue;
      const CsvField& at = fields.back();
      throw DataError(files[file].path, at.line, at.column,
                      in_quotes(at.value()) + " is the sum of the other rows of the target " +
                          in_quotes(table.columns[table.target_columns[target]].name) +
                          ", expected a row of its own: take the last line out");
    }
  }
}

}  // namespace nn
