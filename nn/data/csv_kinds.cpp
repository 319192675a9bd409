#include "nn/data/csv_kinds.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_set>

#include "nn/data/csv_formats.h"
#include "nn/data/csv_slips.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

void leave_out(CsvColumn& column, LeftOut why) {
  column.role = ColumnRole::ignored;
  column.why = why;
}

/// Whether a text is a number but for its decimal comma, which cannot be one between thousands.
bool is_decimal_comma(const CsvText& csv, const CsvField& field) {
  if (csv.delimiter == ',' || field.decimal_comma) return false;
  NumberFormatFinder finder;
  const auto format = finder.add(field) ? finder.found(csv) : std::nullopt;
  return format == NumberFormat{.sign = {}, .group = {}, .decimal_comma = true};
}

/// Finds texts in a column of numbers that are too few to be meant. Throws DataError for a decimal
/// comma among points.
std::optional<ColumnSlip> slip_among_numbers(CsvFiles files, const CsvColumn& column) {
  const ColumnCounts& counts = column.counts;
  const CsvField& at = counts.first_text;
  const CsvText& csv = files[counts.text_file];
  const std::string value = in_quotes(at.value());
  if (is_decimal_comma(csv, at)) {
    throw DataError(csv.path, at.line, at.column,
                    value + ": expected a decimal point, not a comma");
  }
  if (counts.texts > (counts.numbers + counts.texts) / 10) return {};
  return ColumnSlip{.at = at, .file = counts.text_file, .what = "number", .others = counts.numbers};
}

const ColumnCounts::Undated& undated(const ColumnCounts& counts, DateOrder order) {
  return counts.undated[static_cast<std::size_t>(order)];
}

/// Finds texts in a column of dates that are too few to be meant.
std::optional<ColumnSlip> slip_among_dates(const CsvColumn& column) {
  const ColumnCounts& counts = column.counts;
  const std::size_t texts = counts.texts - counts.nones;
  if (counts.numbers > 0 || texts == 0 || column.keep) return {};
  const ColumnCounts::Undated* fewest = &undated(counts, DateOrder::year_first);
  for (const DateOrder order : {DateOrder::month_first, DateOrder::day_first}) {
    const ColumnCounts::Undated& one = undated(counts, order);
    if (one.texts < fewest->texts) fewest = &one;
  }
  if (fewest->texts > texts / 10) return {};
  return ColumnSlip{
      .at = fewest->first, .file = fewest->file, .what = "date", .others = texts - fewest->texts};
}

/// In which order a column of nothing but dates writes them.
DateOrder order_of(const ColumnCounts& counts) {
  const auto fits = [&](DateOrder order) { return undated(counts, order).texts == 0; };
  if (counts.numbers > 0 || counts.texts == counts.nones) return DateOrder::none;
  if (fits(DateOrder::year_first)) return DateOrder::year_first;
  const bool slashes = counts.first_text.raw.find('/') != std::string_view::npos;
  const DateOrder likely = slashes ? DateOrder::month_first : DateOrder::day_first;
  const DateOrder other = slashes ? DateOrder::day_first : DateOrder::month_first;
  for (const DateOrder order : {likely, other, DateOrder::month, DateOrder::clock}) {
    if (fits(order)) return order;
  }
  return DateOrder::none;
}

bool numbers_the_rows(const CsvColumn& column, std::size_t rows) {
  const ColumnCounts& counts = column.counts;
  return !column.keep && rows >= kFewestForIds && counts.row_number && counts.numbers == rows;
}

/// What the counts alone tell; texts become ColumnRole::categories for now.
void settle_by_counts(CsvFiles files, std::size_t rows, CsvColumn& column) {
  ColumnCounts& counts = column.counts;
  column.date = order_of(counts);
  column.ambiguous = undated(counts, DateOrder::day_first).texts == 0 &&
                     undated(counts, DateOrder::month_first).texts == 0;
  if (column.role != ColumnRole::number || column.slip) return;
  if (counts.numbers + counts.texts == 0) {
    leave_out(column, LeftOut::empty);
  } else if (column.categorical) {
    column.role = ColumnRole::categories;
  } else if (counts.numbers > 0 && counts.texts == counts.nones) {
    counts.missing += counts.nones;
    if (numbers_the_rows(column, rows)) leave_out(column, LeftOut::row_number);
  } else if (column.date != DateOrder::none) {
    counts.missing += counts.nones;
    column.role = ColumnRole::date;
  } else {
    column.slip = slip_among_numbers(files, column);
    if (!column.slip) column.slip = slip_among_dates(column);
    column.role = ColumnRole::categories;
  }
}

/// The different texts of one column: themselves as far as they may become categories, their hashes
/// beyond.
class Texts {
 public:
  /// Words that may stand among numbers for what is none.
  static constexpr std::size_t kWords = 3;

  void add(const CsvField& field) {
    if (few_.size() <= kMaxCategories) few_.insert(field.value());
    if (few_.size() > kMaxCategories) hashes_.insert(std::hash<std::string_view>()(field.raw));
    double ignored = 0;
    if (words_.size() <= kWords && read_number(field, ignored) != FieldKind::number)
      words_.insert(field.value());
  }
  /// Those that are no numbers, kWords and one more at most.
  [[nodiscard]] const std::set<std::string>& words() const { return words_; }
  [[nodiscard]] const std::set<std::string>& few() const { return few_; }
  /// At least, where there are many.
  [[nodiscard]] std::size_t count() const { return std::max(few_.size(), hashes_.size()); }

 private:
  std::set<std::string> few_, words_;
  std::unordered_set<std::size_t> hashes_;
};

/// Finds numbers too different for categories, and a few words that recur among them: these stand
/// for no value, or the numbers are codes, which the study has to say.
std::optional<ColumnSlip> slip_of_words(const Texts& texts, const CsvColumn& column) {
  const ColumnCounts& counts = column.counts;
  if (column.keep || counts.numbers == 0 || counts.numbers < counts.texts ||
      texts.words().size() > Texts::kWords)
    return {};
  return ColumnSlip{.at = counts.first_text,
                    .file = counts.text_file,
                    .what = "number",
                    .others = counts.numbers,
                    .words = {texts.words().begin(), texts.words().end()}};
}

void settle_texts(const Texts& texts, std::size_t rows, CsvColumn& column) {
  const std::size_t there = rows - column.counts.missing;
  const bool mostly_own = rows >= kFewestForIds && 2 * texts.count() > there;
  if (mostly_own || texts.few().size() > kMaxCategories) column.slip = slip_of_words(texts, column);
  if (texts.few().size() <= kMaxCategories) {
    const bool own = rows >= kFewestForIds && texts.count() == there;
    const bool one = texts.count() == 1 && column.counts.missing == 0;
    if (one && !column.keep) return leave_out(column, LeftOut::one_text);
    if (own && !column.keep) return leave_out(column, LeftOut::id);
    column.categories.assign(texts.few().begin(), texts.few().end());
  } else if (mostly_own && !column.keep) {
    leave_out(column, LeftOut::id);
  } else {
    column.role = ColumnRole::hashed;
  }
}

}  // namespace

void settle_kinds(CsvFiles files, CsvSurvey& table) {
  settle_formats(files, table);
  for (CsvColumn& column : table.columns) settle_by_counts(files, table.rows, column);
  refuse_slips(files, table);
  std::vector<std::size_t> wanted;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].role == ColumnRole::categories) wanted.push_back(c);
  }
  std::vector<Texts> texts(wanted.size());
  if (!wanted.empty()) {
    for_each_row(files, table, [&](const RowPlace&, const std::vector<CsvField>& fields) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!is_missing(fields[wanted[i]])) texts[i].add(fields[wanted[i]]);
      }
    });
  }
  for (std::size_t i = 0; i < wanted.size(); ++i)
    settle_texts(texts[i], table.rows, table.columns[wanted[i]]);
  refuse_slips(files, table);
  if (std::ranges::any_of(table.columns, &CsvColumn::is_input)) return;
  // A table of nothing but a number for each row: that is what there is to learn from.
  for (CsvColumn& column : table.columns) {
    if (column.role == ColumnRole::ignored && column.why == LeftOut::row_number)
      column.role = ColumnRole::number;
  }
}

}  // namespace nn
