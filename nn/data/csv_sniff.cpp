#include "nn/data/csv_sniff.h"

#include <algorithm>
#include <array>

#include "nn/data/data_error.h"

namespace nn {

namespace {

/// How one candidate delimiter cuts the first records.
struct Cut {
  std::size_t fields = 0;  ///< of the first record
  bool even = false;       ///< all records have as many
};

Cut cut_with(const CsvText& csv) {
  Cut cut;
  try {
    CsvCursor cursor(csv);
    std::vector<CsvField> fields;
    if (!cursor.next(fields)) return cut;
    cut.fields = fields.size();
    for (std::size_t i = 1; i < kSniffRecords && cursor.next(fields); ++i) {
      if (fields.size() != cut.fields) return cut;
    }
    cut.even = true;
  } catch (const DataError&) {
    cut.even = false;  // quotes that make no sense with this delimiter
  }
  return cut;
}

bool is_number(const CsvField& field) {
  double ignored = 0;
  const FieldKind kind = read_number(field, ignored);
  return kind == FieldKind::number || kind == FieldKind::too_large;
}

/// Whether a field holds a number, one that stands for no value included: a line of names has none.
bool holds_number(CsvField field) {
  field.missing = false;
  return is_number(field);
}

bool only_numbers_below(std::span<const std::vector<CsvField>> records, std::size_t c) {
  bool any = false;
  for (const auto& record : records.subspan(1)) {
    if (c >= record.size() || is_missing(record[c])) continue;
    if (!is_number(record[c])) return false;
    any = true;
  }
  return any;
}

bool recurs_below(std::span<const std::vector<CsvField>> records, std::size_t c) {
  const auto rest = records.subspan(1);
  return std::any_of(rest.begin(), rest.end(), [&](const auto& record) {
    return c < record.size() && record[c].raw == records[0][c].raw;
  });
}

bool distinct(const std::vector<CsvField>& fields) {
  std::vector<std::string_view> words;
  for (const CsvField& field : fields) words.push_back(field.raw);
  std::sort(words.begin(), words.end());
  return std::adjacent_find(words.begin(), words.end()) == words.end();
}

/// 1.234 to 999.999: one group of thousands, or three decimals.
bool is_one_group(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  if (point == 0 || point > 3 || text.size() != point + 4 || text[0] == '0') return false;
  return std::ranges::all_of(text, [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
}

/// Whether a column holds nothing but numbers, if the comma is the decimal sign.
struct CommaColumn {
  bool numbers = true;
  bool commas = false;  ///< some number has a comma that is none between thousands

  void add(const CsvField& field) {
    if (is_missing(field) || is_none_word(field)) return;
    numbers = numbers && is_number(field);
    const std::size_t comma = field.raw.find(',');
    commas = commas || (comma != std::string_view::npos && field.raw.size() != comma + 4);
  }
  [[nodiscard]] bool decides() const { return numbers && commas; }
};

}  // namespace

char sniff_delimiter(std::string_view text) {
  constexpr std::array kCandidates{'\t', ';', '|', ','};
  if (const char named = named_delimiter(text); named != 0) return named;
  char best = ',';
  std::size_t most = 1;
  for (const char candidate : kCandidates) {
    const Cut cut = cut_with({{}, text, candidate});
    if (cut.even && cut.fields > 1) return candidate;
    if (cut.fields > most) {
      most = cut.fields;
      best = candidate;
    }
  }
  return best;
}

bool sniff_decimal_comma(std::string_view text, char delimiter) {
  if (delimiter == ',') return false;
  const CsvText with_point{{}, text, delimiter};
  bool any = false, thousands = false;
  std::vector<CommaColumn> columns;
  try {
    CsvCursor cursor(with_point);
    std::vector<CsvField> fields;
    for (std::size_t i = 0; i < kSniffRecords && cursor.next(fields); ++i) {
      columns.resize(std::max(columns.size(), fields.size()));
      for (std::size_t c = 0; c < fields.size(); ++c) {
        CsvField& field = fields[c];
        if (field.raw.find('.') != std::string_view::npos && is_number(field)) {
          if (!is_one_group(field.raw)) return false;
          thousands = true;
        }
        field.decimal_comma = true;
        any = any || (field.raw.find(',') != std::string_view::npos && is_number(field));
        if (i > 0) columns[c].add(field);
      }
    }
  } catch (const DataError&) {
    return false;  // whoever reads the file says what is wrong with it
  }
  return thousands ? std::ranges::any_of(columns, &CommaColumn::decides) : any;
}

CsvText sniffed(const std::string& path, std::string_view text,
                std::span<const std::string> missing) {
  const char delimiter = sniff_delimiter(text);
  return {path, text, delimiter, sniff_decimal_comma(text, delimiter), missing};
}

std::vector<std::vector<CsvField>> first_records(const CsvText& csv) {
  std::vector<std::vector<CsvField>> records;
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  while (records.size() < kSniffRecords && cursor.next(fields)) records.push_back(fields);
  return records;
}

bool sniff_header(std::span<const std::vector<CsvField>> records,
                  std::span<const std::string> targets) {
  if (records.empty()) return false;
  const auto& first = records.front();
  const auto names = [&](const std::string& target) {
    const auto named = [&](const CsvField& field) { return field.raw == target; };
    return !target.empty() && std::ranges::any_of(first, named);
  };
  if (std::ranges::any_of(first, holds_number)) {
    return std::ranges::any_of(targets, [&](const std::string& target) {
      return names(target) && !is_number(CsvField{.raw = target});
    });
  }
  if (std::ranges::any_of(targets, names)) return true;
  if (std::all_of(first.begin(), first.end(), is_missing)) return false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (only_numbers_below(records, c)) return true;
  }
  if (records.size() < 2 || !distinct(first)) return false;
  for (std::size_t c = 0; c < first.size(); ++c) {
    if (recurs_below(records, c)) return false;
  }
  return true;
}

}  // namespace nn
