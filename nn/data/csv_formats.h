#pragma once
// Which columns of texts are numbers that were written for people.

#include "nn/data/csv_columns.h"

namespace nn {

/// Settles the NumberFormat of every column that is still ColumnRole::number and has texts, where
/// all of its values have one, and counts its numbers anew. One in twenty values may be a gap: no
/// number in any format, and without a letter. Notes slips: fewer than one in ten values that are
/// no numbers in a format of signs and separators. Throws DataError for a number that is too large.
void settle_formats(CsvFiles files, CsvSurvey& table);

}  // namespace nn
