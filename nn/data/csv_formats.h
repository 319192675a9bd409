#pragma once
// Which columns of texts are numbers that were written for people.

#include "nn/data/csv_columns.h"

namespace nn {

/// Settles the NumberFormat of every column that is still ColumnRole::number and has texts, where
/// all of its values have one, and counts its numbers anew. Throws DataError for slips: fewer than
/// one in ten values that have none.
void settle_formats(CsvFiles files, CsvSurvey& table);

}  // namespace nn
