#include "nn/data/csv_columns.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/ascii.h"
#include "base/enum_names.h"
#include "base/words.h"
#include "nn/data/csv_header.h"
#include "nn/data/csv_kinds.h"
#include "nn/data/csv_layout.h"
#include "nn/data/csv_names.h"
#include "nn/data/csv_notes.h"
#include "nn/data/csv_sniff.h"
#include "nn/data/csv_totals.h"
#include "nn/data/data_error.h"
#include "nn/data/scaling.h"

namespace nn {

namespace {

void look_at_text(const CsvField& field, std::size_t file, ColumnCounts& counts) {
  ++counts.texts;
  if (is_none_word(field)) {
    ++counts.nones;
  } else if (counts.texts == counts.nones + 1) {
    counts.first_text = field;
    counts.text_file = file;
  }
  if (is_none_word(field)) return;
  static_assert(std::tuple_size_v<decltype(counts.undated)> == base::enum_count<DateOrder>());
  for (const DateOrder order : kDateOrders) {
    ColumnCounts::Undated& undated = counts.undated[static_cast<std::size_t>(order)];
    const auto date = read_date(field.bare(), order);
    if (!date && undated.texts++ == 0) {
      undated.first = field;
      undated.file = file;
    }
    counts.clock = counts.clock || (date && date->clock);
    counts.short_year = counts.short_year || (date && date->short_year);
  }
}

bool is_code(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && std::ranges::all_of(text, base::is_digit);
}

void look_at(const CsvField& field, const RowPlace& place, ColumnCounts& counts) {
  double number = 0;
  const FieldKind kind = read_number(field, number);
  if (kind == FieldKind::missing) {
    ++counts.missing;
    return;
  }
  if (counts.numbers + counts.texts == 0) counts.first = field;
  counts.constant = counts.constant && field.raw == counts.first.raw;
  if (kind == FieldKind::number) {
    counts.add(number, place);
    counts.zeros = counts.zeros || is_code(field.bare());
  } else {
    look_at_text(field, place.file, counts);
  }
}

void check_width(const CsvText& csv, const CsvSurvey& table, const std::vector<CsvField>& fields,
                 std::size_t first_line, std::size_t rows) {
  const std::size_t width = table.columns.size();
  if (fields.size() == width) return;
  const CsvField& at = fields.size() > width ? fields[width] : fields.front();
  throw DataError(csv.path, at.line, fields.size() > width ? at.column : 1,
                  base::counted(fields.size(), "field") + " in this line, expected " +
                      std::to_string(width) + " as in line " + std::to_string(first_line) +
                      skip_advice(csv, rows));
}

std::string no_target(const CsvSurvey& table) {
  const std::vector<std::string> names = table.target_names();
  if (names.size() == 1)
    return "the target " + in_quotes(names.front()) +
           " is missing in every row, expected another column as `target`";
  return "no row has a value of each of the " + std::to_string(names.size()) + " targets";
}

/// Says what was left out below the header, whose last record `fields` are.
void note_second_header(const CsvText& csv, const std::vector<CsvField>& fields, CsvSurvey& table) {
  std::vector<std::string> texts;
  for (const CsvField& field : fields) texts.push_back(field.value());
  table.notes.push_back(base::counted(csv.after_header, "row") + " left out below the header: " +
                        (csv.after_header > 1 ? "the last is " : "") + first_names(texts));
}

/// Counts the rows of one file, at most `most`.
void count_rows(const CsvText& csv, std::size_t file, std::size_t most, CsvSurvey& table) {
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  std::size_t first_line = 0, rows = 0;
  first_line = pass_header(cursor, csv, table, fields);
  if (file == 0 && csv.after_header > 0 && table.header) note_second_header(csv, fields, table);
  RowPlace place{.file = file};
  for (; rows < most && cursor.next(fields); ++place.record) {
    if (first_line == 0) first_line = fields.front().line;
    check_width(csv, table, fields, first_line, rows);
    if (table.first_row == 0) table.first_row = fields.front().line;
    table.put_in_order(file, fields);
    if (table.lacks_target(fields)) {
      ++table.without_target;
      continue;
    }
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (table.columns[c].role == ColumnRole::number || c == table.split_by)
        look_at(fields[c], place, table.columns[c].counts);
    }
    for (const std::size_t c : table.target_columns) table.targets.push_back(fields[c]);
    if (table.split_by) table.order.push_back(fields[*table.split_by]);
    ++rows;
  }
  table.comments += cursor.comments();
  const bool more =
      csv.text.find_first_not_of(" \t\r\n", cursor.position()) != std::string_view::npos;
  if (rows == most && more)
    table.notes.push_back("only the first " + base::counted(rows, "row") +
                          " with a target are read, as `rows` says");
  if (rows == 0 && table.without_target > 0) {
    throw DataError(csv.path, no_target(table));
  }
  if (rows == 0) throw DataError(csv.path, "no rows of data");
  table.rows += rows;
  if (file == 1) table.test_rows = rows;
}

void settle_header(const CsvText& csv, const DataSpec& spec, CsvSurvey& table) {
  const std::vector<std::vector<CsvField>> head = first_records(csv);
  if (head.empty())
    throw DataError(csv.path,
                    spec.skip.none() ? "the file is empty" : "`skip` leaves nothing of the file");
  table.header = spec.header == HeaderRow::yes || spec.skip.after_header > 0;
  if (spec.header != HeaderRow::no && has_row_names(head)) {
    refuse_comment_as_header(csv, head.front().front());
    table.header = table.row_names = true;
    table.notes.emplace_back(kRowNames);
    return;
  }
  if (spec.header != HeaderRow::guess) return;
  table.header = table.header || sniff_header(head, spec.targets);
  if (!table.header) {
    table.notes.emplace_back("the file has no header line: the columns are named c1, c2, ...");
  } else if (has_numbers(head.front())) {
    table.notes.emplace_back(
        "the first line names the columns, though it has numbers (`header: false` treats it as "
        "data)");
  } else {
    table.notes.emplace_back("the first line names the columns");
  }
}

/// With a field above names of the rows.
std::vector<CsvField> first_record(const CsvText& csv, bool row_names) {
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  if (!cursor.next(fields)) throw DataError(csv.path, "the file is empty");
  if (row_names) fields.insert(fields.begin(), blank_before(fields.front()));
  return fields;
}

/// What the study says about single columns.
void assign_roles(const std::string& path, const DataSpec& spec, CsvSurvey& table) {
  const std::size_t last = table.columns.size() - 1;
  if (spec.targets.empty()) table.target_columns.push_back(last);
  for (const std::string& word : spec.targets) {
    const std::size_t c = find_column(path, table, word, "target");
    if (table.is_target(c)) throw DataError(path, "target: " + in_quotes(word) + " is named twice");
    table.target_columns.push_back(c);
  }
  const auto not_target = [&](const std::string& word, const std::string& key) {
    const std::size_t c = find_column(path, table, word, key);
    if (table.is_target(c)) {
      const bool one = table.target_columns.size() == 1;
      throw DataError(path,
                      key + ": " + in_quotes(word) + (one ? " is the target" : " is a target"));
    }
    return c;
  };
  for (const std::string& word : spec.ignore)
    table.columns[not_target(word, "ignore")].role = ColumnRole::ignored;
  const auto input = [&](const std::string& word, const std::string& key) -> CsvColumn& {
    CsvColumn& column = table.columns[not_target(word, key)];
    if (column.role == ColumnRole::ignored)
      throw DataError(path, key + ": " + in_quotes(word) + " is in `ignore`, too");
    column.keep = true;
    return column;
  };
  for (const std::string& word : spec.keep) input(word, "keep");
  for (const std::string& word : spec.categories) input(word, "categories").categorical = true;
  const bool by_group = !spec.split.group.empty(), by_time = !spec.split.time.empty();
  if (by_group && by_time) throw DataError(path, "split has group and time; use one of them");
  if (by_group) table.split_by = not_target(spec.split.group, "split.group");
  if (by_time) table.split_by = not_target(spec.split.time, "split.time");
  if (table.split_by && !table.columns[*table.split_by].keep) {
    table.columns[*table.split_by].role = ColumnRole::ignored;
    table.columns[*table.split_by].why = LeftOut::split;
  }
  for (const std::size_t c : table.target_columns) table.columns[c].role = ColumnRole::target;
  CsvColumn& names = table.columns.front();
  if (!table.row_names || names.role != ColumnRole::number || names.keep || names.categorical)
    return;
  names.role = ColumnRole::ignored;
  names.why = LeftOut::row_name;
}

}  // namespace

void ColumnCounts::add(double number, const RowPlace& place) {
  const bool is_whole = number == std::floor(number);
  whole = whole && is_whole;
  bytes = bytes && is_whole && number >= 0 && number <= 255;
  least = numbers == 0 ? number : std::min(least, number);
  largest = numbers == 0 ? number : std::max(largest, number);
  const auto record = static_cast<double>(place.record);
  if (numbers == 0 || place.file != number_file) first_number = number - record;
  number_file = place.file;
  row_number = row_number && number == first_number + record;
  ++numbers;
}

std::size_t pass_header(CsvCursor& cursor, const CsvText& csv, const CsvSurvey& table,
                        std::vector<CsvField>& fields) {
  if (!table.header || !cursor.next(fields)) return 0;
  const std::size_t line = fields.front().line;
  for (std::size_t i = 0; i < csv.after_header && cursor.next(fields); ++i) continue;
  return line;
}

bool CsvSurvey::is_target(std::size_t column) const {
  return std::ranges::find(target_columns, column) != target_columns.end();
}

std::vector<std::string> CsvSurvey::target_names() const {
  std::vector<std::string> names;
  for (const std::size_t c : target_columns) names.push_back(columns[c].name);
  return names;
}

void CsvSurvey::put_in_order(std::size_t file, std::vector<CsvField>& record) const {
  if (file == 0 || test_places.empty()) return;
  std::vector<CsvField> ordered;
  ordered.reserve(record.size());
  for (const std::size_t place : test_places) ordered.push_back(record[place]);
  record.swap(ordered);
}

bool CsvSurvey::lacks_target(const std::vector<CsvField>& record) const {
  return std::ranges::any_of(target_columns, [&](std::size_t c) {
    return is_missing(record[c]) || (none_is_missing.contains(c) && is_none_word(record[c]));
  });
}

namespace {

constexpr const char* kOneColumn =
    ": no delimiter cuts the lines into equally many columns, expected commas, "
    "semicolons, tabs, bars or blanks";

/// The columns with their names, and what the study says about them.
void name_and_assign(CsvFiles files, const DataSpec& spec, const LoadLimits& limits,
                     CsvSurvey& table) {
  const CsvText& csv = files.front();
  settle_header(csv, spec, table);
  const std::vector<CsvField> first = first_record(csv, table.row_names);
  if (first.size() > limits.columns) {
    throw DataError(csv.path, first.front().line, 1,
                    base::counted(first.size(), "column") + ", expected at most " +
                        std::to_string(limits.columns));
  }
  name_columns(first, table);
  try {
    assign_roles(csv.path, spec, table);
  } catch (const DataError& error) {
    // The names may be those of a line above the header.
    throw error.with(skip_advice(csv));
  }
  for (const CsvText& other : files.subspan(1)) {
    const bool row_names = table.row_names && sniff_row_names(other);
    table.test_places = places_of_columns(other, first_record(other, row_names), table);
  }
}

/// Names, roles and counts, where the targets in these columns are `none_is_missing`.
CsvSurvey counted_rows(CsvFiles files, const DataSpec& spec, const LoadLimits& limits,
                       std::set<std::size_t> none_is_missing) {
  CsvSurvey table;
  table.none_is_missing = std::move(none_is_missing);
  name_and_assign(files, spec, limits, table);
  const std::size_t all = ~std::size_t{0};
  for (std::size_t file = 0; file < files.size(); ++file) {
    const bool some = file == 0 && spec.rows > 0;
    count_rows(files[file], file, some ? static_cast<std::size_t>(spec.rows) : all, table);
  }
  return table;
}

/// What a target's values are.
struct TargetWords {
  std::size_t nones = 0;  ///< words that mean missing among numbers
  bool numbers = false;   ///< all others are numbers
};

TargetWords words_of(CsvFiles files, const CsvSurvey& table, std::size_t target) {
  TargetWords words;
  NumberFormatFinder finder;
  std::size_t plain = 0, others = 0;
  for (std::size_t i = target; i < table.targets.size(); i += table.target_columns.size()) {
    const CsvField& field = table.targets[i];
    double number = 0;
    if (is_none_word(field)) {
      ++words.nones;
    } else {
      ++(read_number(field, number) == FieldKind::number ? plain : others);
      finder.add(field);
    }
  }
  words.numbers =
      others == 0 ? plain > 0 : finder.misfits() == 0 && finder.found(files.front()).has_value();
  return words;
}

/// Counts anew where targets are numbers but for words that mean missing among numbers.
void leave_out_nones(CsvFiles files, const DataSpec& spec, const LoadLimits& limits,
                     CsvSurvey& table) {
  const auto names_one = [](const std::string& name) { return is_none_word(name); };
  if (std::ranges::any_of(spec.classes, names_one)) return;
  std::set<std::size_t> columns;
  for (std::size_t i = 0; i < table.target_columns.size(); ++i) {
    const TargetWords words = words_of(files, table, i);
    if (words.numbers && words.nones > 0) columns.insert(table.target_columns[i]);
  }
  if (columns.empty()) return;
  CsvSurvey numbers = counted_rows(files, spec, limits, std::move(columns));
  // With `rows`, others came in their place.
  for (std::size_t i = 0; i < numbers.target_columns.size(); ++i) {
    if (numbers.none_is_missing.contains(numbers.target_columns[i]) &&
        !words_of(files, numbers, i).numbers)
      return;
  }
  table = std::move(numbers);
}

}  // namespace

CsvSurvey survey(CsvFiles files, const DataSpec& spec, const LoadLimits& limits) {
  const CsvText& csv = files.front();
  CsvSurvey table = counted_rows(files, spec, limits, {});
  leave_out_nones(files, spec, limits, table);
  refuse_totals(files, table);
  refuse_second_header(files, table);
  settle_kinds(files, table);
  if (std::ranges::none_of(table.columns, &CsvColumn::is_input))
    throw DataError(csv.path,
                    "there is no column to learn from besides the target" +
                        (table.columns.size() == 1 ? std::string(kOneColumn) + skip_advice(csv)
                                                   : ": " + left_out_words(table)));
  for (CsvColumn& column : table.columns) {
    if (column.role == ColumnRole::number)
      column.offset = offset_of(column.counts.least, column.counts.largest, spec.scale);
  }
  note_columns(table);
  return table;
}

}  // namespace nn
