#pragma once
// What was made of a table's columns, for people.

#include "nn/data/csv_columns.h"

namespace nn {

/// Adds a note for each kind of column that the table has, naming the columns, and one for each
/// kind that was left out, with the reason.
void note_columns(CsvSurvey& table);

/// What was left out and why, as the notes have it: "left out, no value: 'a'; left out, ...".
[[nodiscard]] std::string left_out_words(const CsvSurvey& table);

/// "'$1,234' is 1234"; of a field that is a number in that format.
[[nodiscard]] std::string read_as_text(const CsvField& field, const NumberFormat& format);

}  // namespace nn
