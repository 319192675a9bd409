#include "nn/data/csv_sniff.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "nn/data/csv_header.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

/// How one candidate delimiter cuts the first records.
struct Cut {
  std::size_t fields = 0;  ///< of the first record
  bool even = false;       ///< all records have as many
  bool quoted = false;     ///< some field stands in quotes
};

Cut cut_with(const CsvText& csv) {
  Cut cut;
  try {
    CsvCursor cursor(csv);
    std::vector<CsvField> fields;
    if (!cursor.next(fields)) return cut;
    cut.fields = fields.size();
    const auto quoted = [&] { return std::ranges::any_of(fields, &CsvField::quoted); };
    cut.quoted = quoted();
    for (std::size_t i = 1; i < kSniffRecords && cursor.next(fields); ++i) {
      if (fields.size() != cut.fields) return cut;
      cut.quoted = cut.quoted || quoted();
    }
    cut.even = true;
  } catch (const DataError&) {
    cut.even = false;  // quotes that make no sense with this delimiter
  }
  return cut;
}

CsvText cut_by(CsvText csv, char delimiter) {
  csv.delimiter = delimiter;
  csv.missing = {};
  return csv;
}

/// Whether the first line, uncut, is what somebody wants as one field.
bool is_one_field(const CsvText& csv, const std::function<bool(const CsvField&)>& wanted) {
  if (!wanted) return false;
  const CsvText whole = cut_by(csv, ',');
  std::vector<CsvField> fields;
  try {
    CsvCursor cursor(whole);
    return cursor.next(fields) && fields.size() == 1 && wanted(fields.front());
  } catch (const DataError&) {
    return false;
  }
}

bool is_number(const CsvField& field) {
  double ignored = 0;
  const FieldKind kind = read_number(field, ignored);
  return kind == FieldKind::number || kind == FieldKind::too_large;
}

/// 1.234 to 999.999, or 1,234 to 999,999: one group of thousands, or three decimals.
bool is_one_group(std::string_view text, char sign) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t at = text.find(sign);
  if (at == 0 || at > 3 || text.size() != at + 4 || text[0] == '0') return false;
  return std::ranges::all_of(text, [&](char c) { return c == sign || base::is_digit(c); });
}

/// Whether a column holds nothing but numbers, if the comma is the decimal sign.
struct CommaColumn {
  bool numbers = true;
  bool commas = false;  ///< some number has a comma that is none between thousands

  void add(const CsvField& field) {
    if (is_missing(field) || is_none_word(field)) return;
    numbers = numbers && is_number(field);
    commas = commas ||
             (field.raw.find(',') != std::string_view::npos && !is_one_group(field.bare(), ','));
  }
  [[nodiscard]] bool decides() const { return numbers && commas; }
};

/// What the first records hold.
struct Signs {
  bool point = false;      ///< 1.5
  bool thousands = false;  ///< 1.234
  bool comma = false;      ///< 1,5
  bool unclear = false;    ///< 1,234
  std::vector<CommaColumn> columns;

  void add(std::vector<CsvField>& fields, bool first) {
    columns.resize(std::max(columns.size(), fields.size()));
    for (std::size_t c = 0; c < fields.size(); ++c) {
      CsvField& field = fields[c];
      if (field.raw.find('.') != std::string_view::npos && is_number(field))
        (is_one_group(field.bare(), '.') ? thousands : point) = true;
      field.decimal_comma = true;
      if (field.raw.find(',') != std::string_view::npos && is_number(field))
        (is_one_group(field.bare(), ',') ? unclear : comma) = true;
      if (!first) columns[c].add(field);
    }
  }
  [[nodiscard]] DecimalSign sign() const {
    if (point) return DecimalSign::point;
    if (thousands) {
      const bool decided = std::ranges::any_of(columns, &CommaColumn::decides);
      return decided ? DecimalSign::comma : DecimalSign::point;
    }
    return comma ? DecimalSign::comma : unclear ? DecimalSign::unclear : DecimalSign::open;
  }
};

}  // namespace

char sniff_delimiter(const CsvText& csv, const std::function<bool(const CsvField&)>& one_field) {
  constexpr std::array kCandidates{'\t', ';', '|', ','};
  if (const char named = named_delimiter(csv.text); named != 0) return named;
  char best = ',';
  std::size_t most = 1;
  bool none = true;  // but blanks of all kinds
  for (const char candidate : kCandidates) {
    const Cut cut = cut_with(cut_by(csv, candidate));
    if (cut.even && cut.fields > 1) return candidate;
    none = none && (candidate == '\t' || cut.fields <= 1);
    if (cut.fields > most) {
      most = cut.fields;
      best = candidate;
    }
  }
  std::vector<char> candidates(kCandidates.begin(), kCandidates.end());
  if (none && !is_one_field(csv, one_field)) {
    const Cut blanks = cut_with(cut_by(csv, ' '));
    if (blanks.even && blanks.fields > 1) return ' ';
    candidates.push_back(' ');
  }
  const auto named = std::ranges::find_if(
      candidates, [&](char candidate) { return sniff_row_names(cut_by(csv, candidate)); });
  return named != candidates.end() ? *named : best;
}

bool sniff_row_names(const CsvText& csv) {
  try {
    return has_row_names(first_records(csv));
  } catch (const DataError&) {
    return false;  // quotes that make no sense with this delimiter
  }
}

bool is_even(const CsvText& csv, bool quoted) {
  const Cut cut = cut_with(csv);
  return cut.even && cut.fields > 1 && (cut.quoted || !quoted);
}

void sniff_marks(CsvText& csv, const std::function<bool(const CsvField&)>& one_field) {
  const bool known = csv.quote == '\'';
  csv.quote = '"';
  csv.delimiter = sniff_delimiter(csv, one_field);
  if (!known && is_even(csv)) return;
  CsvText single = csv;
  single.quote = '\'';
  single.delimiter = sniff_delimiter(single, one_field);
  if (is_even(single, true)) csv = single;
}

DecimalSign sniff_decimal_sign(const CsvText& csv) {
  if (csv.delimiter == ',') return DecimalSign::point;
  CsvText with_point = csv;
  with_point.decimal_comma = false;
  with_point.missing = {};
  Signs signs;
  try {
    CsvCursor cursor(with_point);
    std::vector<CsvField> fields;
    for (std::size_t i = 0; i < kSniffRecords && cursor.next(fields); ++i)
      signs.add(fields, i == 0);
  } catch (const DataError&) {
    return DecimalSign::open;  // whoever reads the file says what is wrong with it
  }
  return signs.sign();
}

CsvText sniffed(CsvText csv, bool decimal_comma) {
  sniff_marks(csv);
  const DecimalSign sign = sniff_decimal_sign(csv);
  csv.decimal_comma = has_decimal_comma(sign, decimal_comma);
  // Programs write semicolons where the comma is the decimal sign.
  csv.comma_likely = sign == DecimalSign::unclear && csv.delimiter == ';';
  return csv;
}

std::vector<std::vector<CsvField>> first_records(const CsvText& csv) {
  std::vector<std::vector<CsvField>> records;
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  for (std::size_t i = 0; records.size() < kSniffRecords && cursor.next(fields); ++i) {
    if (i == 0 || i > csv.after_header) records.push_back(fields);
  }
  return records;
}

}  // namespace nn
