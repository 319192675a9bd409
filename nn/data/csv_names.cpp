#include "nn/data/csv_names.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "nn/fields.h"

namespace nn {

namespace {

std::vector<std::string> names_of(const std::vector<CsvColumn>& columns) {
  std::vector<std::string> names;
  for (const CsvColumn& column : columns) names.push_back(column.name);
  return names;
}

/// For comparing what people write: small letters, every sign a blank.
std::string folded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool sign = c == '_' || c == '-' || c == '.';
    out += sign ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

/// The name that a word is near to, or else the one of which it is the beginning; empty without.
std::string meant_name(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = nearest(word, names);
  if (!near.empty() || word.empty()) return near;
  const auto begins = [&](const std::string& name) {
    return folded(name).starts_with(folded(word));
  };
  const auto found = std::ranges::find_if(names, begins);
  return found == names.end() ? "" : *found;
}

constexpr std::string_view kNoNames =
    "the first line does not name the columns (`header: true` if it does)";

/// Whether the first record of a second table names none of the targets.
bool lacks_target_names(const std::vector<CsvField>& first, const CsvSurvey& table) {
  const auto names = [&](std::size_t target) {
    return std::ranges::any_of(
        first, [&](const CsvField& field) { return field.value() == table.columns[target].name; });
  };
  return std::ranges::none_of(table.target_columns, names);
}

}  // namespace

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string column_name(std::size_t place) { return "c" + std::to_string(place + 1); }

std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kNamed = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  if (names.size() > kNamed) text += " and " + std::to_string(names.size() - kNamed) + " more";
  return text;
}

CsvField blank_before(const CsvField& first) {
  return {.raw = {}, .line = first.line, .column = first.column};
}

DataError slip(const CsvText& csv, const CsvField& text, const std::string& what,
               std::size_t others, const CsvColumn& column) {
  double ignored = 0;
  const bool large = read_number(text, ignored) == FieldKind::too_large;
  return {csv.path, text.line, text.column,
          in_quotes(text.value()) + ": expected a " + (large ? kFits : what) + ", as in " +
              counted(others, "other row") + " of column " + in_quotes(column.name) +
              "; where it stands for no value, name it in data.missing"};
}

void name_columns(const CsvText& csv, const std::vector<CsvField>& first, CsvSurvey& table) {
  std::set<std::string> seen;
  for (std::size_t c = 0; c < first.size(); ++c) {
    CsvColumn column;
    if (table.header) column.name = first[c].value();
    if (column.name.empty()) column.name = column_name(c);
    if (!seen.insert(column.name).second) {
      throw DataError(csv.path, first[c].line, first[c].column,
                      "a second column is called " + in_quotes(column.name));
    }
    table.columns.push_back(std::move(column));
  }
}

void check_same_columns(const CsvText& csv, const std::vector<CsvField>& first,
                        const CsvSurvey& table) {
  if (first.size() != table.columns.size()) {
    const bool without_targets = table.header && lacks_target_names(first, table);
    throw DataError(
        csv.path, first.front().line, 1,
        counted(first.size(), "column") + ", expected " + std::to_string(table.columns.size()) +
            " as the training table has" +
            (without_targets
                 ? "; the test part needs the target, `trellis predict` answers rows without it"
                 : ""));
  }
  for (std::size_t c = 0; table.header && c < first.size(); ++c) {
    const std::string name = first[c].value();
    if (name == table.columns[c].name || name.empty()) continue;
    throw DataError(csv.path, first[c].line, first[c].column,
                    in_quotes(name) + ": expected " + in_quotes(table.columns[c].name) +
                        ", the columns of the training table in their order");
  }
}

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
                              counted(columns.size(), "column") +
                              (table.header ? "" : "; " + std::string(kNoNames)));
  }
  std::string text = key + ": there is no column " + in_quotes(word);
  const std::string near = meant_name(word, names_of(columns));
  if (!near.empty()) {
    text += ", did you mean " + in_quotes(near) + "?";
  } else if (!table.header) {
    text += ": " + std::string(kNoNames) + "; expected a number from 1 to " +
            std::to_string(columns.size());
  } else {
    text += ", expected one of " + first_names(names_of(columns)) + " or a number from 1 to " +
            std::to_string(columns.size());
  }
  throw DataError(path, text);
}

}  // namespace nn
