#pragma once
// What was made of a table's columns, for people.

#include "nn/data/csv_columns.h"

namespace nn {

/// Adds a note for each kind of column that the table has, naming the columns, and one for each
/// kind that was left out, with the reason.
void note_columns(CsvSurvey& table);

}  // namespace nn
