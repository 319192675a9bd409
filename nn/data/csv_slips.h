#pragma once
// Texts in columns of something else.

#include "nn/data/csv_columns.h"

namespace nn {

/// Throws DataError where a column has a slip: the first one, with what to do about all columns
/// that have one. Codes (with a digit, or among few numbers) are names: `categories` or `ignore`
/// comes first then, else `missing`.
void refuse_slips(CsvFiles files, const CsvSurvey& table);

}  // namespace nn
