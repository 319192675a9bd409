#pragma once
// Lines of a table's file that are no rows of the table: what a spec says of them, and what it
// could say.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nn/data/csv_columns.h"
#include "nn/data/csv_records.h"
#include "nn/data/data_spec.h"

namespace nn {

/// Leaves out of `csv` what `skip` says; a note is added for lines at the beginning and the end.
/// Throws DataError where no line is left.
void apply_skip(const SkipSpec& skip, CsvText& csv, std::vector<std::string>& notes);

/// With what in `skip` beside what `csv` leaves out already all records would have as many fields,
/// two or more: comments, lines above the header, lines at the end. Nothing where that is not so,
/// or where it is so without more.
[[nodiscard]] std::optional<SkipSpec> proposed_skip(const CsvText& csv);

/// Throws DataError where a first line that lacks a field, as above names of the rows, begins as a
/// comment does, and `skip` could leave it out.
void refuse_comment_as_header(const CsvText& csv, const CsvField& first);

/// "skip: {lines: 2, comment: '#'}"
[[nodiscard]] std::string skip_words(const SkipSpec& skip);

/// "; in data: `skip: {footer: 1}` leaves out what is not a row": the end of a message; empty where
/// nothing can be proposed. `rows`: those before the line that the message is about; 0: none is.
[[nodiscard]] std::string skip_advice(const CsvText& csv, std::size_t rows = 0);

/// The words of `skip` that leave out one more line at the end than `csv` does.
[[nodiscard]] std::string longer_footer(const CsvText& csv);

/// "; `skip: {after_header: 1}` ..." where a text stands in the first row below a header; else
/// empty.
[[nodiscard]] std::string second_header_advice(const CsvText& csv, const CsvSurvey& table,
                                               const CsvField& text);

/// Throws DataError where the first row has texts in several columns that hold nothing but numbers
/// below it, and in all such: units, or a second header.
void refuse_second_header(CsvFiles files, const CsvSurvey& table);

}  // namespace nn
