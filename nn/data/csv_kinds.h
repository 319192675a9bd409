#pragma once
// What the columns of a table are, once every value was looked at.

#include "nn/data/csv_columns.h"

namespace nn {

/// Settles the role of every column that is still ColumnRole::number, and what belongs to it
/// (categories, order of dates), as survey() says. Throws DataError for slips among numbers.
void settle_kinds(CsvFiles files, CsvSurvey& table);

}  // namespace nn
