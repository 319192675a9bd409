#pragma once
// Where the columns that a model was trained on stand in another table.

#include <cstddef>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/dataset.h"

namespace nn {

/// Where a column is that the table does not have, nor need have.
inline constexpr std::size_t kNoField = static_cast<std::size_t>(-1);

struct TableFit {
  bool header = false;               ///< the first record names the columns
  std::vector<std::string> names;    ///< of the table's columns, made up where it has none
  std::vector<std::size_t> fields;   ///< of each of the model's columns; kNoField: it is absent
  std::vector<std::size_t> targets;  ///< the fields of the targets, where the table has them all
  std::vector<std::string> unused;   ///< columns that the model does not look at
  std::vector<std::size_t> renamed;  ///< of the names, those told apart from an equal one
};

/// The columns of a model. Images have one for each pixel: c1, c2, ...
[[nodiscard]] std::vector<FeatureColumn> columns_of(const Dataset& model);

/// `first` is the table's first record. Columns are found by name, in any order, others may stand
/// between them; those of one name are told apart by their order, as in training. Where the model
/// knows its columns by number alone (c1, c2, ...: it was trained without names), they are taken by
/// their place, from a table with as many columns as that of the training (Dataset::Header::places)
/// or without the target's. Arrays had no column for the target: a table may have one where its
/// header names it. `row_names`: the first record is a header whose first field, which it lacks in
/// the file, stands above names of the rows. Throws DataError(path) that names every column that is
/// missing, or says how many there should be; base::Error (data) where the model contradicts
/// itself.
[[nodiscard]] TableFit fit_table(const std::string& path, const std::vector<CsvField>& first,
                                 const Dataset& model, bool row_names = false);

/// Whether a first record names the model's columns, which have names.
[[nodiscard]] bool names_columns(const std::vector<CsvField>& first, const Dataset& model);

/// Whether a table's whole first line, as one field, is the name or a value of a model's only
/// column.
[[nodiscard]] bool fits_as_one_field(const CsvField& line, const Dataset& model);

}  // namespace nn
