#include "nn/data/csv_names.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/ascii.h"
#include "base/text.h"
#include "base/words.h"
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
    out += sign ? ' ' : base::to_lower(c);
  }
  return out;
}

/// The name that a word is near to, or else the one of which it is the beginning; empty without.
std::string meant_name(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = base::nearest(word, names);
  if (!near.empty() || word.empty()) return near;
  const auto begins = [&](const std::string& name) {
    return folded(name).starts_with(folded(word));
  };
  const auto found = std::ranges::find_if(names, begins);
  return found == names.end() ? "" : *found;
}

constexpr std::string_view kNoNames =
    "the first line does not name the columns (`header: true` if it does)";

/// Of the columns of a table with this first record, may it be its header.
std::vector<std::string> names_in(const std::vector<CsvField>& first, bool header) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < first.size(); ++c) {
    names.push_back(header ? first[c].value() : "");
    if (names.back().empty()) names.back() = column_name(c);
  }
  return names;
}

/// Whether the first record of a second table names none of the targets.
bool lacks_target_names(const std::vector<CsvField>& first, const CsvSurvey& table) {
  const auto names = [&](std::size_t target) {
    return std::ranges::any_of(
        first, [&](const CsvField& field) { return field.value() == table.columns[target].name; });
  };
  return std::ranges::none_of(table.target_columns, names);
}

}  // namespace

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

std::vector<std::size_t> tell_apart(std::vector<std::string>& names) {
  std::set<std::string> all(names.begin(), names.end());
  if (all.size() == names.size()) return {};
  std::map<std::string, std::size_t> seen;
  std::vector<std::size_t> renamed;
  for (std::size_t c = 0; c < names.size(); ++c) {
    std::size_t& number = seen[names[c]];
    if (number++ == 0) continue;
    const std::string word = names[c] + ".";
    while (!all.insert(word + std::to_string(number)).second) ++number;
    names[c] = word + std::to_string(number);
    renamed.push_back(c);
  }
  return renamed;
}

std::string told_apart_note(const std::vector<std::string>& names,
                            const std::vector<std::size_t>& places) {
  std::vector<std::string> renamed;
  for (const std::size_t c : places) renamed.push_back(names[c]);
  return "columns of one name are told apart by a number: " + first_names(renamed);
}

void name_columns(const std::vector<CsvField>& first, CsvSurvey& table) {
  std::vector<std::string> names = names_in(first, table.header);
  const std::vector<std::string> written = names;
  const std::vector<std::size_t> renamed = tell_apart(names);
  for (const std::size_t c : renamed) table.doubled.insert(written[c]);
  if (!renamed.empty()) table.notes.push_back(told_apart_note(names, renamed));
  for (std::size_t c = 0; c < names.size(); ++c) {
    table.columns.emplace_back();
    table.columns.back().name = names[c];
  }
}

std::vector<std::size_t> places_of_columns(const CsvText& csv, const std::vector<CsvField>& first,
                                           const CsvSurvey& table) {
  if (first.size() != table.columns.size()) {
    const bool without_targets = table.header && lacks_target_names(first, table);
    throw DataError(
        csv.path, first.front().line, 1,
        base::counted(first.size(), "column") + ", expected " +
            std::to_string(table.columns.size()) + " as the training table has" +
            (without_targets
                 ? "; the test part needs the target, `trellis predict` answers rows without it"
                 : ""));
  }
  if (!table.header) return {};
  std::vector<std::string> names = names_in(first, true);
  (void)tell_apart(names);
  const auto in_place = [&](std::size_t c) {
    return names[c] == table.columns[c].name || first[c].raw.empty();
  };
  std::vector<std::size_t> places(first.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  const auto other = std::ranges::find_if_not(places, in_place);
  if (other == places.end()) return {};
  for (std::size_t& place : places) {
    const auto at = std::ranges::find(names, table.columns[place].name);
    if (at == names.end())
      throw DataError(csv.path, first[*other].line, 1,
                      "no column " + in_quotes(table.columns[place].name) +
                          ", expected the columns of the training table");
    place = static_cast<std::size_t>(at - names.begin());
  }
  return places;
}

std::size_t find_column(const std::string& path, const CsvSurvey& table, const std::string& word,
                        const std::string& key) {
  const auto& columns = table.columns;
  if (table.doubled.contains(word)) {
    throw DataError(path, key + ": several columns are called " + in_quotes(word) +
                              "; give the number of one of them");
  }
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (columns[c].name == word) return c;
  }
  const auto count = static_cast<std::int64_t>(columns.size());
  if (const auto number = base::parse_int(word)) {
    if (*number >= 1 && *number <= count) return static_cast<std::size_t>(*number - 1);
    if (*number <= -1 && *number >= -count) return static_cast<std::size_t>(count + *number);
    throw DataError(path, key + ": there is no column " + word + ", the table has " +
                              base::counted(columns.size(), "column") +
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
