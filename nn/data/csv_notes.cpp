#include "nn/data/csv_notes.h"

#include <functional>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "nn/data/csv_names.h"
#include "nn/data/data_error.h"
#include "nn/data/note_kinds.h"

namespace nn {

namespace {

constexpr std::size_t kMostNamed = 12;  // columns in one note, and as many as that hides none alone
constexpr std::size_t kFewHidden = 3;

using ColumnTest = std::function<bool(const CsvColumn&)>;
using More = std::function<std::string(const CsvColumn&)>;

/// "WHAT: 'a' (more), 'b'"; nothing when no column is wanted.
void note(
    CsvSurvey& table, std::string_view what, const ColumnTest& wanted,
    const More& more = [](const CsvColumn&) { return std::string(); }) {
  std::vector<const CsvColumn*> found;
  for (const CsvColumn& column : table.columns) {
    if (wanted(column)) found.push_back(&column);
  }
  if (found.empty()) return;
  const bool all = found.size() <= kMostNamed + kFewHidden;
  const std::size_t named = all ? found.size() : kMostNamed;
  std::string names;
  for (std::size_t i = 0; i < named; ++i) {
    const std::string about = more(*found[i]);
    names += (names.empty() ? "" : ", ") + in_quotes(found[i]->name);
    if (!about.empty()) names += " (" + about + ")";
  }
  if (!all)
    names += base::cat(" and ", found.size() - named, " more, from ", in_quotes(found[named]->name),
                       " to ", in_quotes(found.back()->name));
  table.notes.push_back(base::cat(what, ": ", names));
}

ColumnTest with_role(ColumnRole role) {
  return [role](const CsvColumn& column) { return column.role == role; };
}

ColumnTest left_out(LeftOut why) {
  return [why](const CsvColumn& column) {
    return column.role == ColumnRole::ignored && column.why == why;
  };
}

std::string order_text(const CsvColumn& column) {
  const bool day = column.date == DateOrder::day_first;
  if (column.date == DateOrder::year_first) return "year first";
  const bool days = column.date == DateOrder::day_first || column.date == DateOrder::month_first;
  if (!days) return column.counts.short_year ? "years from 1969 to 2068" : "";
  return std::string(day ? "day first" : "month first") + (column.ambiguous ? ", a guess" : "") +
         (column.counts.short_year ? ", years from 1969 to 2068" : "");
}

/// "341 numbers, and 59 texts such as 'unknown'", or "such as '37 kg'" without numbers.
std::string example(const CsvColumn& column) {
  const ColumnCounts& counts = column.counts;
  const std::size_t texts = counts.texts - counts.nones;
  if (texts == 0) return "";
  if (counts.numbers == 0) return "such as " + in_quotes(counts.first_text.value());
  return base::counted(counts.numbers, "number") + ", and " + base::counted(texts, "text") +
         " such as " + in_quotes(counts.first_text.value());
}

void note_missing(CsvSurvey& table) {
  const auto count = [](const CsvColumn& c) { return std::to_string(c.counts.missing); };
  const auto has = [](const CsvColumn& column, bool number) {
    const bool numeric = column.role == ColumnRole::number || column.role == ColumnRole::date;
    return column.is_input() && column.counts.missing > 0 && numeric == number;
  };
  const auto marked = [&](const CsvColumn& column) {
    return static_cast<double>(column.counts.missing) >=
           kIndicatorShare * static_cast<double>(table.rows);
  };
  note(
      table,
      "missing values, replaced by the mean over the training part and marked by one more input",
      [&](const CsvColumn& column) { return has(column, true) && marked(column); }, count);
  note(
      table, "missing values, replaced by the mean over the training part",
      [&](const CsvColumn& column) { return has(column, true) && !marked(column); }, count);
  note(
      table, "missing categories, all inputs of the column 0",
      [&](const CsvColumn& column) { return has(column, false); }, count);
}

std::string left(std::string_view why) { return base::cat(heads::kLeftOut, why); }

void note_left_out(CsvSurvey& table) {
  note(table, left("as `ignore` says"), left_out(LeftOut::asked));
  note(table, left("no value"), left_out(LeftOut::empty));
  note(table, left("the same value in every row"), left_out(LeftOut::one_text));
  note(table, left("only counts the rows (`keep` makes it an input)"),
       left_out(LeftOut::row_number));
  note(table, left("names the rows (`keep` makes it inputs)"), left_out(LeftOut::row_name));
  note(table, left("a value of its own in nearly every row (`keep` makes it inputs)"),
       left_out(LeftOut::id), example);
  note(table, left("the split goes by it (`keep` makes it an input)"), left_out(LeftOut::split),
       [](const CsvColumn& c) { return c.date == DateOrder::none ? "" : order_text(c); });
}

}  // namespace

std::string left_out_words(const CsvSurvey& table) {
  CsvSurvey only;
  only.columns = table.columns;
  note_left_out(only);
  std::string words;
  for (const std::string& one : only.notes) words += (words.empty() ? "" : "; ") + one;
  return words;
}

std::string read_as_text(const CsvField& field, const NumberFormat& format) {
  double number = 0;
  (void)read_number(field, format, number);
  return in_quotes(field.value()) + " is " + base::format_double(number);
}

void note_columns(CsvSurvey& table) {
  note(table, heads::kNumbers, with_role(ColumnRole::number), [](const CsvColumn& column) {
    const NumberFormat& format = column.format;
    const bool usual = format.bare() && (!format.decimal_comma || format.gaps);
    return usual ? "" : read_as_text(column.counts.first_text, format);
  });
  note(table, heads::kCodes,
       [](const CsvColumn& c) { return c.role == ColumnRole::number && c.counts.zeros; });
  note(
      table, "subtracted from the numbers, which are large compared with their spread",
      [](const CsvColumn& column) { return column.offset != 0; },
      [](const CsvColumn& column) { return base::format_double(column.offset); });
  note(table, heads::kCategories, with_role(ColumnRole::categories),
       [](const CsvColumn& c) { return std::to_string(c.categories.size()); });
  note(table,
       base::cat(heads::kHashed, kMaxCategories, " categories, hashed into ", kHashInputs,
                 " inputs"),
       with_role(ColumnRole::hashed));
  const auto dates = [](auto wanted) {
    return [wanted](const CsvColumn& c) { return c.role == ColumnRole::date && wanted(c.date); };
  };
  note(table, heads::kDates,
       dates([](DateOrder o) { return o != DateOrder::month && o != DateOrder::clock; }),
       order_text);
  note(table, heads::kMonths, dates([](DateOrder o) { return o == DateOrder::month; }), order_text);
  note(table, heads::kClock, dates([](DateOrder o) { return o == DateOrder::clock; }));
  note(
      table, "not numbers, treated as missing values",
      [](const CsvColumn& c) { return c.counts.gaps > 0; },
      [](const CsvColumn& c) {
        return base::cat(c.counts.gaps, ", such as ", in_quotes(c.counts.first_gap.value()));
      });
  note_missing(table);
  note(table, heads::kConstant, [](const CsvColumn& column) {
    return column.role == ColumnRole::number && column.counts.constant &&
           column.counts.missing == 0;
  });
  note_left_out(table);
  if (table.comments > 0)
    table.notes.push_back(base::counted(table.comments, "line") + " of comments left out");
  if (table.without_target > 0) {
    std::string targets;
    for (const std::string& name : table.target_names())
      targets += (targets.empty() ? "" : " or ") + in_quotes(name);
    table.notes.push_back(base::counted(table.without_target, "row") + " left out: no value of " +
                          targets);
  }
}

}  // namespace nn
