#pragma once
// The columns of a table by name and by number.

#include <cstddef>
#include <string>
#include <vector>

#include "nn/data/csv_columns.h"
#include "nn/data/data_error.h"

namespace nn {

/// What a number is expected to be where one is too large.
inline constexpr const char* kFits = "number that fits into 32 bits";

/// What the column at a place is called that has no name: c1 is the first.
[[nodiscard]] std::string column_name(std::size_t place);

/// "'a', 'b' and 3 more": the first ten.
[[nodiscard]] std::string first_names(const std::vector<std::string>& names);

/// What is said of a table with names of its rows (has_row_names).
inline constexpr const char* kRowNames =
    "the first line has one name fewer than the others have fields: their first ones name the rows";

/// The field that its header lacks: an empty one before its first.
[[nodiscard]] CsvField blank_before(const CsvField& first);

/// Tells columns of one name apart: the second "x" becomes "x.2", or with the next number that
/// makes no name that is there. Returns the places of the renamed.
std::vector<std::size_t> tell_apart(std::vector<std::string>& names);

/// "columns of one name are told apart by a number: 'x.2'", of those at `places`.
[[nodiscard]] std::string told_apart_note(const std::vector<std::string>& names,
                                          const std::vector<std::size_t>& places);

/// Gives the table its columns, named by `first` where that is its header, and told apart.
void name_columns(const std::vector<CsvField>& first, CsvSurvey& table);

/// Where a second table has each column of the first, by its first record; empty where in the same
/// places. Throws DataError where it does not name the same columns.
[[nodiscard]] std::vector<std::size_t> places_of_columns(const CsvText& csv,
                                                         const std::vector<CsvField>& first,
                                                         const CsvSurvey& table);

/// The column that a word of the study file means: a name, or a number counted from 1 or from -1.
/// `key` is where the word stands. Throws DataError(path) with the nearest
/// name or one that begins so, without these with the first ten names; where several columns had
/// the name, with their numbers.
[[nodiscard]] std::size_t find_column(const std::string& path, const CsvSurvey& table,
                                      const std::string& word, const std::string& key);

}  // namespace nn
