#include "nn/data/csv_formats.h"

#include <algorithm>

#include "nn/data/csv_names.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

/// A column of texts that may be numbers in a format.
struct WantedFormat {
  std::size_t place;
  NumberFormatFinder finder;
  CsvField misfit;  ///< the first one, and the file that it is in
  std::size_t misfit_file = 0;
};

bool is_value(const CsvField& field) { return !is_missing(field) && !is_none_word(field); }

std::vector<WantedFormat> wanted_columns(const CsvSurvey& table) {
  std::vector<WantedFormat> wanted;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const CsvColumn& column = table.columns[c];
    const ColumnCounts& counts = column.counts;
    if (column.role != ColumnRole::number || column.categorical || counts.texts == counts.nones)
      continue;
    if (NumberFormatFinder().add(counts.first_text))
      wanted.push_back({.place = c, .finder = {}, .misfit = {}});
  }
  return wanted;
}

/// Whether the column is numbers in a format, which it has from then on; what does not fit is a
/// slip where it is as rare as one.
bool take_format(CsvFiles files, const WantedFormat& one, CsvColumn& column) {
  ColumnCounts& counts = column.counts;
  const std::size_t misfits = one.finder.misfits();
  const std::size_t values = counts.numbers + counts.texts - counts.nones;
  const auto format = one.finder.found(files.front());
  if (!format || misfits > values / 10) return false;
  if (misfits > 0) {
    throw slip(files[one.misfit_file], one.misfit, "number", values - misfits, column);
  }
  column.format = *format;
  counts.numbers = 0;
  counts.texts = counts.nones;
  counts.bytes = counts.row_number = counts.whole = true;
  return true;
}

void count_number(const CsvText& csv, const RowPlace& place, const CsvField& field,
                  CsvColumn& column) {
  double number = 0;
  if (read_number(field, column.format, number) != FieldKind::number) {
    throw DataError(csv.path, field.line, field.column,
                    in_quotes(field.value()) + ": expected a " + kFits);
  }
  column.counts.add(number, place);
}

}  // namespace

void settle_formats(CsvFiles files, CsvSurvey& table) {
  std::vector<WantedFormat> wanted = wanted_columns(table);
  if (wanted.empty()) return;
  for_each_row(files, table, [&](const RowPlace& place, const std::vector<CsvField>& fields) {
    for (WantedFormat& one : wanted) {
      const CsvField& field = fields[one.place];
      if (!is_value(field) || one.finder.add(field) || one.finder.misfits() > 1) continue;
      one.misfit = field;
      one.misfit_file = place.file;
    }
  });
  std::erase_if(wanted, [&](const WantedFormat& one) {
    return !take_format(files, one, table.columns[one.place]);
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
