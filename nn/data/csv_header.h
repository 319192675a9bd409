#pragma once
// Whether the first line of a table names its columns.

#include <span>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/number_format.h"

namespace nn {

/// Whether some field is a number, plain or in one of `formats`, with a decimal point or comma; one
/// that is too large or stands for no value included.
[[nodiscard]] bool has_numbers(std::span<const CsvField> record,
                               std::span<const NumberFormat> formats = {});

/// Whether a first line may name columns: it has no such number, and some word that is none for a
/// missing value.
[[nodiscard]] bool may_name_columns(std::span<const CsvField> first,
                                    std::span<const NumberFormat> formats = {});

/// Whether each record but the first, which may name columns, begins with a name of its own that
/// the first one has no field for: R writes so. Beside a single column these names are quoted.
[[nodiscard]] bool has_row_names(std::span<const std::vector<CsvField>> records);

/// Whether the first of these records holds the columns' names. One without numbers does when it
/// contains one of `targets` as a word; when some column holds only numbers below it; among texts
/// only, when its fields are distinct and none recurs in its column, or when the second record
/// repeats it above numbers. One with numbers does when it
/// contains one of `targets` that is no number of a column; when these go up by
/// one, three or more, or two behind a blank field above a column that counts the rows, no other
/// record does so, and none recurs in its column (which ten or more from 0 may); when they are
/// years in order, two or more, above numbers that are none; each time with no other text that
/// recurs in its column.
[[nodiscard]] bool sniff_header(std::span<const std::vector<CsvField>> records,
                                std::span<const std::string> targets);

}  // namespace nn
