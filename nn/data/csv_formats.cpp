#include "nn/data/csv_formats.h"

#include <algorithm>

#include "nn/data/csv_names.h"
#include "nn/data/data_error.h"
#include "nn/data/written_number.h"

namespace nn {

namespace {

/// A column of texts that may be numbers in a format.
struct WantedFormat {
  std::size_t place;
  NumberFormatFinder finder;
};

/// At most this share of the values of a column may be gaps between numbers.
constexpr std::size_t kGapsOfValues = 20;  // one in so many

bool is_value(const CsvField& field) { return !is_missing(field) && !is_none_word(field); }

std::vector<WantedFormat> wanted_columns(const CsvSurvey& table) {
  std::vector<WantedFormat> wanted;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const CsvColumn& column = table.columns[c];
    const ColumnCounts& counts = column.counts;
    if (column.role != ColumnRole::number || column.categorical || counts.texts == counts.nones ||
        counts.are_dates())
      continue;
    const CsvField& first = counts.first_text;
    if (NumberFormatFinder().add(first) || !has_letter(first.bare()))
      wanted.push_back({.place = c, .finder = {}});
  }
  return wanted;
}

/// Whether a word among such numbers makes texts of them all, as it may be one of several codes or
/// sizes, rather than being a slip.
bool may_be_texts(const NumberFormat& format) {
  return !format.unit.empty() || format.marks || format.span;
}

/// Whether the column is numbers in a format, which it has from then on; what does not fit is a gap
/// or, where it is rare, a slip.
bool take_format(CsvFiles files, const NumberFormatFinder& finder, CsvColumn& column) {
  ColumnCounts& counts = column.counts;
  const CsvText& csv = files.front();
  const std::size_t misfits = finder.misfits();
  const std::size_t values = counts.numbers + counts.texts - counts.nones;
  const bool gaps = misfits > 0 && kGapsOfValues * misfits <= values && finder.misfits_are_gaps();
  auto format = finder.found(csv);
  if (!format && gaps && finder.are_plain(csv))
    format = NumberFormat{.sign = {}, .group = {}, .decimal_comma = csv.decimal_comma};
  const auto name_misfit = [&] {
    counts.first_text = finder.misfit();
    counts.text_file = finder.misfit_file();
  };
  // Not a gap above it, which alone would be a missing value.
  if (misfits > 0 && has_letter(finder.misfit().bare()) && !has_letter(counts.first_text.bare()))
    name_misfit();
  if (!format || (!gaps && misfits > values / 10)) return false;
  if (misfits > 0 && !gaps) {
    name_misfit();
    if (may_be_texts(*format)) return false;
    column.slip = ColumnSlip{.at = finder.misfit(),
                             .file = finder.misfit_file(),
                             .what = "number",
                             .others = values - misfits};
    return false;
  }
  if (!finder.example().raw.empty()) counts.first_text = finder.example();
  column.format = *std::move(format);
  column.format.gaps = gaps;
  counts.numbers = 0;
  counts.texts = counts.nones;
  counts.bytes = counts.row_number = counts.whole = true;
  return true;
}

void count_number(const CsvText& csv, const RowPlace& place, const CsvField& field,
                  CsvColumn& column) {
  ColumnCounts& counts = column.counts;
  double number = 0;
  const FieldKind kind = read_number(field, column.format, number);
  if (kind == FieldKind::missing) {
    ++counts.missing;
    if (counts.gaps++ == 0) counts.first_gap = field;
  } else if (kind == FieldKind::number) {
    counts.add(number, place);
  } else {
    throw DataError(csv.path, field.line, field.column,
                    in_quotes(field.value()) + ": expected a " + kFits);
  }
}

}  // namespace

void settle_formats(CsvFiles files, CsvSurvey& table) {
  std::vector<WantedFormat> wanted = wanted_columns(table);
  if (wanted.empty()) return;
  for_each_row(files, table, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
    for (WantedFormat& one : wanted) {
      const CsvField& field = fields[one.place];
      if (is_value(field)) (void)one.finder.add(field, place.file);
    }
  });
  std::erase_if(wanted, [&](const WantedFormat& one) {
    return !take_format(files, one.finder, table.columns[one.place]);
  });
  if (wanted.empty()) return;
  for_each_row(files, table, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
    for (const WantedFormat& one : wanted) {
      if (is_value(fields[one.place]))
        count_number(files[place.file], place, fields[one.place], table.columns[one.place]);
    }
  });
}

}  // namespace nn
