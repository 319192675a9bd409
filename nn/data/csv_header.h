#pragma once
// Whether the first line of a table names its columns.

#include <span>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"

namespace nn {

/// Whether a field is a number, with a decimal point or comma; one that stands for no value
/// included.
[[nodiscard]] bool holds_number(CsvField field);

/// Whether the first of these records holds the columns' names. One without numbers does when it
/// contains one of `targets` as a word; when some column holds only numbers below it; among texts
/// only, when its fields are distinct and none recurs in its column. One with numbers does when it
/// contains one of `targets` that is no number of a column; when these go up by
/// one, three or more, or two behind a blank field above a column that counts the rows, no other
/// record does so, and none recurs in its column (which ten or more from 0 may); when they are
/// years in order, two or more, above numbers that are none; each time with no other text that
/// recurs in its column.
[[nodiscard]] bool sniff_header(std::span<const std::vector<CsvField>> records,
                                std::span<const std::string> targets);

}  // namespace nn
