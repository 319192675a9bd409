#include "nn/data/csv_columns.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "nn/data/csv_sniff.h"
#include "nn/data/data_error.h"
#include "nn/fields.h"

namespace nn {

namespace {

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::vector<std::string> names_of(const std::vector<CsvColumn>& columns) {
  std::vector<std::string> names;
  for (const CsvColumn& column : columns) names.push_back(column.name);
  return names;
}

/// The column that a word of the study file means: a name, or a number counted from 1 or from -1.
std::size_t find_column(const std::string& path, const CsvSurvey& table, const std::string& word,
                        const std::string& key) {
  const auto& columns = table.columns;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name == word) return c;
  }
  const auto count = static_cast<long long>(columns.size());
  long long number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size()) {
    if (number >= 1 && number <= count) return static_cast<std::size_t>(number - 1);
    if (number <= -1 && number >= -count) return static_cast<std::size_t>(count + number);
    throw DataError(path, key + ": there is no column " + word + ", the table has " +
                              plural(columns.size(), "column"));
  }
  std::string text = key + ": there is no column " + in_quotes(word);
  const std::string near = nearest(word, names_of(columns));
  if (!near.empty()) {
    text += ", did you mean " + in_quotes(near) + "?";
  } else if (!table.header) {
    text += ": the first line does not name the columns; expected a number from 1 to " +
            std::to_string(columns.size());
  } else {
    text += ", expected a name out of the first line or a number from 1 to " +
            std::to_string(columns.size());
  }
  throw DataError(path, text);
}

void name_columns(const CsvText& csv, const std::vector<CsvField>& first, CsvSurvey& table) {
  std::set<std::string> seen;
  for (std::size_t c = 0; c < first.size(); ++c) {
    CsvColumn column;
    if (table.header) column.name = first[c].value();
    if (column.name.empty()) column.name = "c" + std::to_string(c + 1);
    if (!seen.insert(column.name).second) {
      throw DataError(csv.path, first[c].line, first[c].column,
                      "a second column is called " + in_quotes(column.name));
    }
    table.columns.push_back(std::move(column));
  }
}

void check_width(const CsvText& csv, const CsvSurvey& table, const std::vector<CsvField>& fields,
                 std::size_t first_line) {
  const std::size_t width = table.columns.size();
  if (fields.size() == width) return;
  const CsvField& at = fields.size() > width ? fields[width] : fields.front();
  throw DataError(csv.path, at.line, fields.size() > width ? at.column : 1,
                  plural(fields.size(), "field") + " in this line, expected " +
                      std::to_string(width) + " as in line " + std::to_string(first_line));
}

void look_at(const CsvField& field, CsvColumn& column) {
  double number = 0;
  switch (read_number(field, number)) {
    case FieldKind::number:
      ++column.numbers;
      column.bytes = column.bytes && number >= 0 && number <= 255 && number == std::floor(number);
      break;
    case FieldKind::missing:
      ++column.missing;
      break;
    case FieldKind::text:
    case FieldKind::too_large:
      if (column.texts++ == 0) column.first_text = field;
      break;
  }
}

void count_values(const CsvText& csv, const DataSpec& spec, CsvSurvey& table) {
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  std::size_t first_line = 0;
  if (table.header && cursor.next(fields)) first_line = fields.front().line;
  const std::size_t most = spec.rows > 0 ? static_cast<std::size_t>(spec.rows) : ~std::size_t{0};
  while (table.rows < most && cursor.next(fields)) {
    if (first_line == 0) first_line = fields.front().line;
    check_width(csv, table, fields, first_line);
    for (std::size_t c = 0; c < fields.size(); ++c) {
      if (table.columns[c].role == ColumnRole::number) look_at(fields[c], table.columns[c]);
    }
    table.targets.push_back(fields[table.target]);
    ++table.rows;
  }
  if (table.rows == 0) throw DataError(csv.path, "holds no rows of data");
}

bool is_decimal_comma(const CsvText& csv, const CsvField& field) {
  if (csv.delimiter == ',' || field.quoted) return false;
  std::string text(field.raw);
  const auto comma = text.find(',');
  if (comma == std::string::npos) return false;
  text[comma] = '.';
  double ignored = 0;
  return read_number(CsvField{.raw = text}, ignored) == FieldKind::number;
}

void settle_role(const CsvText& csv, CsvColumn& column, std::vector<std::string>& notes) {
  if (column.role != ColumnRole::number) return;
  if (column.texts == 0) {
    if (column.numbers > 0) return;
    column.role = ColumnRole::ignored;
    notes.push_back("column " + in_quotes(column.name) + " is left out: it holds no value");
    return;
  }
  const CsvField& at = column.first_text;
  const std::string value = in_quotes(at.value());
  if (is_decimal_comma(csv, at)) {
    throw DataError(csv.path, at.line, at.column,
                    value + ": expected a decimal point, not a comma");
  }
  if (column.texts <= (column.numbers + column.texts) / 10) {
    throw DataError(csv.path, at.line, at.column,
                    value + ": expected a number, as in " + plural(column.numbers, "other row") +
                        " of column " + in_quotes(column.name));
  }
  column.role = ColumnRole::categories;
}

void collect_categories(const CsvText& csv, CsvSurvey& table) {
  std::vector<std::size_t> wanted;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].role == ColumnRole::categories) wanted.push_back(c);
  }
  if (wanted.empty()) return;
  for_each_row(csv, table, [&](std::size_t, const std::vector<CsvField>& fields) {
    double ignored = 0;
    for (const std::size_t c : wanted) {
      auto& categories = table.columns[c].categories;
      if (categories.size() > kMaxCategories) continue;
      if (read_number(fields[c], ignored) == FieldKind::missing) continue;
      categories.emplace(fields[c].value(), 0);
    }
  });
  for (const std::size_t c : wanted) {
    CsvColumn& column = table.columns[c];
    std::string note = "column " + in_quotes(column.name);
    if (column.categories.size() > kMaxCategories) {
      column.role = ColumnRole::ignored;
      note += " is left out: it holds more than " + std::to_string(kMaxCategories) + " texts";
    } else {
      std::size_t ordinal = 0;
      for (auto& [value, number] : column.categories) number = ordinal++;
      note += " becomes " + plural(column.categories.size(), "input") + ", one for each text";
    }
    table.notes.push_back(note);
  }
}

void note_missing(CsvSurvey& table) {
  for (const CsvColumn& column : table.columns) {
    if (column.missing == 0) continue;
    if (column.role == ColumnRole::number) {
      table.notes.push_back("column " + in_quotes(column.name) + ": " +
                            plural(column.missing, "missing value") +
                            " replaced by the mean over the training part");
    } else if (column.role == ColumnRole::categories) {
      table.notes.push_back("column " + in_quotes(column.name) + ": " +
                            plural(column.missing, "missing value") + ", all its inputs 0");
    }
  }
}

void settle_header(const std::vector<std::vector<CsvField>>& head, const DataSpec& spec,
                   CsvSurvey& table) {
  table.header = spec.header == HeaderRow::yes;
  if (spec.header != HeaderRow::guess) return;
  table.header = sniff_header(head, spec.target);
  table.notes.push_back(table.header ? "the first line names the columns"
                                     : "the first line is data: columns are c1, c2, ...");
}

}  // namespace

CsvSurvey survey(const CsvText& csv, const DataSpec& spec, const LoadLimits& limits) {
  const auto head = first_records(csv);
  if (head.empty()) throw DataError(csv.path, "is empty");
  const auto& first = head.front();
  if (first.size() > limits.columns) {
    throw DataError(
        csv.path, first.front().line, 1,
        plural(first.size(), "column") + ", expected at most " + std::to_string(limits.columns));
  }
  CsvSurvey table;
  settle_header(head, spec, table);
  name_columns(csv, first, table);
  table.target =
      spec.target.empty() ? first.size() - 1 : find_column(csv.path, table, spec.target, "target");
  for (const std::string& word : spec.ignore) {
    const std::size_t c = find_column(csv.path, table, word, "ignore");
    if (c == table.target) {
      throw DataError(csv.path, "ignore: " + in_quotes(word) + " is the target");
    }
    table.columns[c].role = ColumnRole::ignored;
  }
  table.columns[table.target].role = ColumnRole::target;
  count_values(csv, spec, table);
  for (CsvColumn& column : table.columns) settle_role(csv, column, table.notes);
  collect_categories(csv, table);
  note_missing(table);
  const bool any = std::any_of(table.columns.begin(), table.columns.end(),
                               [](const CsvColumn& column) { return column.inputs() > 0; });
  if (!any) throw DataError(csv.path, "no column to learn from besides the target");
  return table;
}

}  // namespace nn
