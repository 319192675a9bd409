#pragma once
// A table as a model sees it, a block of rows at a time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nn/data/csv_stream.h"
#include "nn/data/dataset.h"
#include "nn/data/table_fit.h"
#include "nn/data_view.h"

namespace nn {

/// Rows of a CSV file, prepared like those that a model was trained on.
class TableRows {
 public:
  /// `model` is what preprocessing_from_json made, and outlives this; `keep` are columns of the
  /// table whose texts are wanted beside. "-" is standard input. Throws DataError: the file, or a
  /// table that does not fit.
  TableRows(const std::string& path, const Dataset& model,
            const std::vector<std::string>& keep = {});

  [[nodiscard]] const TableFit& fit() const { return fit_; }

  /// Reads at most `most` rows into the block; false when there are no more. Throws DataError with
  /// line and column: a line of another length, a text where a number is expected.
  [[nodiscard]] bool next(std::size_t most);

  /// The rows of the block. Labels or targets are set where the table has a target that means
  /// something in every row so far. Valid until the next call.
  [[nodiscard]] DataView view() const;
  [[nodiscard]] std::size_t rows() const { return numbers_.size(); }
  /// The texts of the wanted columns in one row of the block, in the order of `keep`.
  [[nodiscard]] const std::vector<std::string>& kept(std::size_t row) const { return kept_[row]; }

  /// Why rows cannot be scored, with the place; empty while they can, or where there is no target.
  [[nodiscard]] const std::string& unscored() const { return unscored_; }
  [[nodiscard]] bool scored() const { return !fit_.targets.empty() && unscored_.empty(); }
  /// A sentence on everything that was filled in or is not looked at.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  [[nodiscard]] bool read(std::vector<CsvField>& fields);
  void add(const std::vector<CsvField>& fields);
  void add_target(const CsvField& field, std::size_t at);
  void find_kept(const std::vector<std::string>& keep);

  CsvStream stream_;
  const Dataset& model_;
  std::vector<FeatureColumn> columns_;
  std::vector<CsvField> first_;  // the first record, until it is read as a row
  std::size_t first_line_ = 0;
  TableFit fit_;
  std::vector<std::size_t> kept_fields_;
  std::map<std::string, std::int32_t> classes_;
  std::vector<std::size_t> missing_, unknown_;  // one for each column of the model
  std::string unscored_;

  std::vector<float> x_, targets_;
  std::vector<std::int32_t> labels_;
  std::vector<std::uint32_t> numbers_;  // 0, 1, ...: the block's rows
  std::vector<std::vector<std::string>> kept_;
};

}  // namespace nn
