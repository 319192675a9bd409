#include "nn/data/csv_slips.h"

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/words.h"
#include "nn/data/csv_layout.h"
#include "nn/data/csv_names.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

constexpr std::size_t kMostListed = 3;  ///< texts of one column

/// A name as it may stand in a list of a study file.
std::string yaml_word(const std::string& name) {
  const auto plain = [](char c) { return base::is_letter_or_digit(c) || c == '_'; };
  if (!name.empty() && std::ranges::all_of(name, plain)) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

std::string yaml_list(const std::vector<std::string>& names) {
  return "[" + base::listed(names, yaml_word) + "]";
}

/// Whether a column may hold codes, one of which has a letter: 136A among 1 to 205, x among 1 to 5.
bool may_be_codes(const CsvColumn& column) {
  const ColumnSlip& slip = *column.slip;
  double ignored = 0;
  if (slip.what != "number" || read_number(slip.at, ignored) == FieldKind::too_large) return false;
  const ColumnCounts& counts = column.counts;
  const bool few = counts.whole && counts.numbers > 0 &&
                   counts.largest - counts.least < static_cast<double>(kMaxCategories);
  return few || std::ranges::any_of(slip.at.raw, base::is_digit);
}

/// The different texts among the numbers of each of those columns, the one that a message names
/// first; one more than kMostListed where there are more. Reads the table once at most.
std::vector<std::vector<std::string>> texts_of(CsvFiles files, const CsvSurvey& table,
                                               const std::vector<std::size_t>& columns) {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::size_t> unread;  // places in `columns`
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnSlip& slip = *table.columns[columns[i]].slip;
    texts.push_back(slip.words.empty() ? std::vector{slip.at.value()} : slip.words);
    if (slip.words.empty()) unread.push_back(i);
  }
  if (unread.empty()) return texts;
  for_each_row(files, table, [&](const RowPlace&, const std::vector<CsvField>& fields) {
    for (const std::size_t i : unread) {
      double ignored = 0;
      const CsvField& field = fields[columns[i]];
      if (texts[i].size() > kMostListed || read_number(field, ignored) != FieldKind::text) continue;
      std::string text = field.value();
      if (std::ranges::find(texts[i], text) == texts[i].end()) texts[i].push_back(std::move(text));
    }
  });
  return texts;
}

const char* if_missing(std::size_t words) {
  return words == 1 ? "if this text marks a missing value" : "if these texts mark a missing value";
}

/// `columns`: places in the table. Texts that are too many to be listed hardly stand for no value.
std::string code_advice(CsvFiles files, const CsvSurvey& table,
                        const std::vector<std::size_t>& columns) {
  std::vector<std::string> names, words;
  bool many = false;
  for (const std::size_t column : columns) names.push_back(table.columns[column].name);
  for (const std::vector<std::string>& texts : texts_of(files, table, columns)) {
    many = many || texts.size() > kMostListed;
    words.insert(words.end(), texts.begin(), texts.end());
  }
  const bool one = names.size() == 1;
  std::string advice = std::string("; in data: `categories: ") + yaml_list(names) +
                       (one ? "` treats the column as categories, `ignore: "
                            : "` treats the columns as categories, `ignore: ") +
                       yaml_list(names) + (one ? "` drops it" : "` drops them");
  if (!many) advice += ", `missing: " + yaml_list(words) + "` " + if_missing(words.size());
  return advice;
}

std::string word_advice(const CsvColumn& column) {
  const ColumnSlip& slip = *column.slip;
  if (slip.words.empty()) return "; if it marks a missing value, list it in data.missing";
  return "; in data: `missing: [" + base::listed(slip.words) + "]` " +
         if_missing(slip.words.size()) + ", `keep` to treat the column as categories";
}

/// Where the first row alone is odd, it may be none.
std::string row_advice(const CsvText& csv, const CsvColumn& column, const CsvSurvey& table) {
  const bool alone = column.slip->file == 0 && column.counts.texts - column.counts.nones == 1;
  return alone ? second_header_advice(csv, table, column.slip->at) : "";
}

}  // namespace

void refuse_slips(CsvFiles files, const CsvSurvey& table) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].slip) columns.push_back(c);
  }
  if (columns.empty()) return;
  const CsvColumn& first = table.columns[columns.front()];
  const ColumnSlip& slip = *first.slip;
  const CsvText& csv = files[slip.file];
  const bool codes = may_be_codes(first);
  std::vector<std::size_t> alike;
  std::vector<std::string> others;
  for (const std::size_t c : columns) {
    const CsvColumn& column = table.columns[c];
    if (may_be_codes(column) == codes) alike.push_back(c);
    if (&column != &first && !(codes && may_be_codes(column))) others.push_back(column.name);
  }
  std::string advice = codes ? code_advice(files, table, alike) : word_advice(first);
  advice += row_advice(csv, first, table);
  if (!table.header && slip.file == 0 && slip.at.line == table.first_row) {
    // Then columns are called c1, c2, ..., which says nothing about what to do with them.
    advice = "; in data: `header: true` if this line names the columns";
    others.clear();
  }
  if (!others.empty()) advice += "; such values are also in " + first_names(others);
  double ignored = 0;
  const bool large = slip.words.empty() && read_number(slip.at, ignored) == FieldKind::too_large;
  throw DataError(csv.path, slip.at.line, slip.at.column,
                  in_quotes(slip.at.value()) + ": expected a " + (large ? kFits : slip.what) +
                      ", as in " + base::counted(slip.others, "other row") + " of column " +
                      in_quotes(first.name) + advice);
}

}  // namespace nn
