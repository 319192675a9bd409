#pragma once
// Faults of a table that a score on its own rows does not show: rows in an order of time or in
// groups that a random split mixes, a column that gives the target away, rows that stand twice.

#include <string>
#include <vector>

#include "nn/data/csv_columns.h"
#include "nn/data/target.h"

namespace nn {

/// Values of a table that are looked at; of a larger one the first rows.
inline constexpr std::size_t kDoubtedValues = 4'000'000;

/// Returns a sentence for each fault. `kept` and `parts` are of the rows that are left.
[[nodiscard]] std::vector<std::string> doubts_of(CsvFiles files, const CsvSurvey& table,
                                                 const std::vector<bool>& kept,
                                                 const TargetValues& target, const Parts& parts);

}  // namespace nn
