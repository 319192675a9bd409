#pragma once
// Last lines of reports that are no rows.

#include "nn/data/csv_columns.h"

namespace nn {

/// Throws DataError where the last row of a file holds a target that is the sum of all the others,
/// most of which are not 0, beside a field without a value or with a word such as Total; or where
/// it is larger than all others, with both such fields, and no other row has the word. Looks at
/// files of five rows or more.
void refuse_totals(CsvFiles files, const CsvSurvey& table);

}  // namespace nn
