#include "nn/data/csv_layout.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/text.h"
#include "base/words.h"
#include "nn/data/csv_names.h"
#include "nn/data/csv_sniff.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

constexpr std::string_view kEnds = "\r\n";
/// Lines above a header, or below a table, beyond which nothing is proposed.
constexpr std::size_t kMostLines = 30;

/// The first lines of a text, at most `count` of them.
std::vector<std::string_view> lines_of(std::string_view text, std::size_t count) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < count) {
    const std::size_t end = std::min(text.find_first_of(kEnds), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
    if (!text.empty()) text.remove_prefix(text.starts_with(kEnds) ? 2 : 1);
  }
  return lines;
}

/// Where the last `count` lines of a text begin; empty ones behind them do not count.
std::size_t begin_of_footer(std::string_view text, std::size_t count) {
  std::size_t end = text.find_last_not_of("\r\n \t") + 1, begin = end;
  for (std::size_t i = 0; i < count && end > 0; ++i) {
    begin = text.find_last_of(kEnds, end - 1) + 1;  // npos + 1 is 0: the first line
    end = begin == 0 ? 0 : begin - 1;
    if (end > 0 && text.substr(end - 1).starts_with(kEnds)) --end;
  }
  return begin;
}

/// "2 lines left out above the header, the first is 'made by tool'"
std::string left_out_note(const std::vector<std::string_view>& lines, const std::string& where) {
  const std::string first = in_quotes(lines.empty() ? std::string_view() : lines.front());
  return base::counted(lines.size(), "line") + " left out " + where +
         (lines.size() == 1 ? ": " : ", the first is ") + first;
}

/// How far all records of a file have as many fields.
struct Evenness {
  std::size_t width = 0, records = 0;  ///< of the first, and so many in a row
  std::size_t odd_line = 0;            ///< of the first other record; 0: there is none
  bool odd_to_the_end = true;          ///< no record behind that has the width
};

Evenness evenness_of(const CsvText& csv) {
  Evenness found;
  std::vector<CsvField> fields;
  CsvCursor cursor(csv);
  try {
    while (cursor.next(fields)) {
      if (found.records == 0) found.width = fields.size();
      const bool even = fields.size() == found.width;
      if (found.odd_line > 0) {
        found.odd_to_the_end = found.odd_to_the_end && !even;
        if (even) break;
      } else if (even) {
        ++found.records;
      } else {
        found.odd_line = fields.front().line;
      }
    }
  } catch (const DataError& error) {
    if (found.odd_line == 0) found.odd_line = error.line();
  }
  return found;
}

SkipSpec skip_of(const CsvText& csv) {
  return {.lines = static_cast<std::int64_t>(csv.lines),
          .comment = std::string(csv.comment),
          .after_header = static_cast<std::int64_t>(csv.after_header),
          .footer = static_cast<std::int64_t>(csv.footer)};
}

/// Whether some of the first `lines` lines are a row, or the header, of a table so wide, which
/// begins behind them: then these are no title.
bool has_rows(CsvText csv, std::size_t lines, std::size_t width) {
  csv.lines = 0;
  CsvCursor cursor(csv);
  std::vector<CsvField> fields;
  try {
    while (cursor.next(fields) && fields.front().line <= lines) {
      // A header that lacks a field may stand above names of the rows.
      const std::size_t count = fields.size();
      if (count == width || (count > 1 && count + 1 == width)) return true;
    }
  } catch (const DataError&) {
    // No row of a table then.
  }
  return false;
}

/// What `csv`, which leaves out a guess, has to leave out besides at its end to be even.
std::optional<SkipSpec> completed(CsvText csv) {
  sniff_marks(csv);
  const Evenness found = evenness_of(csv);
  constexpr std::size_t kFewest = 3;  // a header and two rows
  if (found.width < 2 || found.records < kFewest) return {};
  if (has_rows(csv, csv.lines, found.width)) return {};
  SkipSpec skip = skip_of(csv);
  if (found.odd_line == 0) return skip;
  const std::size_t last = csv.text.find_last_not_of("\r\n \t") + 1;
  const auto all = lines_of(csv.text.substr(0, last), std::numeric_limits<std::size_t>::max());
  const std::size_t footer = all.size() + 1 - found.odd_line;
  if (!found.odd_to_the_end || footer > kMostLines || footer >= found.records) return {};
  skip.footer += static_cast<std::int64_t>(footer);
  return skip;
}

std::string_view comment_mark(std::string_view line) {
  constexpr std::array<std::string_view, 6> kMarks{"#", "%", "//", "!", "--", "*"};
  const std::size_t first = line.find_first_not_of(" \t\xef\xbb\xbf");
  if (first == std::string_view::npos) return {};
  line.remove_prefix(first);
  const auto begins = [&](std::string_view mark) { return line.starts_with(mark); };
  const auto found = std::ranges::find_if(kMarks, begins);
  return found == kMarks.end() ? std::string_view() : *found;
}

/// What comments of the file may begin with, by its first line and the first one that is odd.
std::vector<std::string_view> comment_marks(const CsvText& csv, std::size_t odd_line) {
  std::vector<std::string_view> marks;
  const auto lines = lines_of(csv.text, std::max<std::size_t>(odd_line, 1));
  for (const std::size_t line : {std::size_t{0}, lines.size() - 1}) {
    if (line >= lines.size()) continue;
    const std::string_view mark = comment_mark(lines[line]);
    if (!mark.empty() && std::ranges::find(marks, mark) == marks.end()) marks.push_back(mark);
  }
  return marks;
}

}  // namespace

void apply_skip(const SkipSpec& skip, CsvText& csv, std::vector<std::string>& notes) {
  csv.comment = skip.comment;
  csv.after_header = static_cast<std::size_t>(skip.after_header);
  csv.lines = static_cast<std::size_t>(skip.lines);
  csv.footer = static_cast<std::size_t>(skip.footer);
  const auto first = lines_of(csv.text, csv.lines);
  if (csv.lines > 0) notes.push_back(left_out_note(first, "above the header"));
  if (csv.footer > 0) {
    const std::size_t begin = begin_of_footer(csv.text, csv.footer);
    notes.push_back(left_out_note(lines_of(csv.text.substr(begin), csv.footer), "at the end"));
    csv.text = csv.text.substr(0, begin);
  }
  if (csv.lines > 0 && first.size() < csv.lines)
    throw DataError(csv.path, "skip.lines is " + std::to_string(csv.lines) +
                                  ", but the file has only " + base::counted(first.size(), "line"));
}

std::optional<SkipSpec> proposed_skip(const CsvText& csv) {
  const Evenness now = evenness_of(csv);
  if (now.odd_line == 0) return {};
  if (csv.comment.empty()) {
    for (const std::string_view mark : comment_marks(csv, now.odd_line)) {
      CsvText other = csv;
      other.comment = mark;
      if (auto skip = completed(other)) return skip;
    }
  }
  if (auto skip = completed(csv)) return skip;
  if (csv.lines > 0) return {};
  // A large file is read as a whole only where its first records are even.
  constexpr std::size_t kSmall = std::size_t{1} << 20;
  for (std::size_t lines = 1; lines <= kMostLines; ++lines) {
    CsvText other = csv;
    other.lines = lines;
    CsvText sniffed = other;
    if (csv.text.size() > kSmall) {
      sniff_marks(sniffed);
      if (!is_even(sniffed)) continue;
    }
    if (auto skip = completed(other)) return skip;
  }
  return {};
}

void refuse_comment_as_header(const CsvText& csv, const CsvField& first) {
  if (first.quoted || comment_mark(first.raw).empty()) return;
  const std::string advice = skip_advice(csv);
  if (!advice.empty())
    throw DataError(csv.path, first.line, first.column,
                    in_quotes(first.value()) +
                        " begins as a comment does, expected the names of "
                        "the columns" +
                        advice);
}

std::string skip_words(const SkipSpec& skip) {
  std::string keys;
  const auto add = [&](const char* key, const std::string& value) {
    keys += (keys.empty() ? "" : ", ") + std::string(key) + ": " + value;
  };
  if (skip.lines > 0) add("lines", std::to_string(skip.lines));
  if (!skip.comment.empty()) add("comment", "'" + skip.comment + "'");
  if (skip.after_header > 0) add("after_header", std::to_string(skip.after_header));
  if (skip.footer > 0) add("footer", std::to_string(skip.footer));
  return "skip: {" + keys + "}";
}

std::string skip_advice(const CsvText& csv, std::size_t rows) {
  const auto skip = proposed_skip(csv);
  if (!skip) return {};
  std::string advice =
      "; in data: `" + skip_words(*skip) + "` leaves out the lines that are not rows of it";
  const bool ends = rows > 0 && skip->footer > static_cast<std::int64_t>(csv.footer);
  if (ends && skip->lines == 0 && skip->comment.empty())
    advice += ", and so does `rows: " + std::to_string(rows) + "`";
  return advice;
}

std::string longer_footer(const CsvText& csv) {
  SkipSpec skip = skip_of(csv);
  ++skip.footer;
  return skip_words(skip);
}

std::string second_header_advice(const CsvText& csv, const CsvSurvey& table, const CsvField& text) {
  if (!table.header || text.line != table.first_row) return {};
  SkipSpec skip = skip_of(csv);
  ++skip.after_header;
  return "; in data: `" + skip_words(skip) + "` if the line holds units or a second header";
}

void refuse_second_header(CsvFiles files, const CsvSurvey& table) {
  constexpr std::size_t kFewestNumbers = 2;
  std::vector<std::string> texts;
  for (const CsvColumn& column : table.columns) {
    const ColumnCounts& counts = column.counts;
    if (column.role != ColumnRole::number || column.categorical || column.keep ||
        counts.numbers == 0)
      continue;
    const std::size_t words = counts.texts - counts.nones;
    const bool first = words == 1 && counts.text_file == 0 &&
                       counts.first_text.line == table.first_row &&
                       counts.numbers >= kFewestNumbers;
    if (!first) return;
    texts.push_back(column.name);
  }
  constexpr std::size_t kFewestTexts = 2;
  if (!table.header || texts.size() < kFewestTexts) return;
  const CsvText& csv = files.front();
  throw DataError(
      csv.path, table.first_row, 1,
      "this row has text where all other rows have numbers, in " + first_names(texts) +
          second_header_advice(csv, table, CsvField{.raw = {}, .line = table.first_row}));
}

}  // namespace nn
