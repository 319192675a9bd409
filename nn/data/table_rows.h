#pragma once
// A table as a model sees it, a block of rows at a time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/data/csv_stream.h"
#include "nn/data/data_error.h"
#include "nn/data/data_view.h"
#include "nn/data/dataset.h"
#include "nn/data/encode.h"
#include "nn/data/table_fit.h"

namespace nn {

/// Rows of a CSV file, prepared like those that a model was trained on.
class TableRows {
 public:
  /// `model` is what preprocessing_from_json made, and outlives this; `keep` are columns of the
  /// table whose texts are wanted beside. "-" is standard input. Throws DataError: the file, or a
  /// table that does not fit.
  TableRows(const std::string& path, const Dataset& model,
            const std::vector<std::string>& keep = {});
  TableRows(const std::string& path, Dataset&& model,
            const std::vector<std::string>& keep = {}) = delete;

  [[nodiscard]] const TableFit& fit() const { return fit_; }

  /// Reads at most `most` rows into the block; false when there are no more. Throws DataError with
  /// line and column: a line of another length, a text where a number is expected; but for as many
  /// records below the header, or lines at the end, as were left out of the training's table.
  [[nodiscard]] bool next(std::size_t most);

  /// The rows of the block. Labels or targets are set where the table has the target; they mean
  /// something in the rows of scored(). Valid until the next call.
  [[nodiscard]] DataView view() const;
  [[nodiscard]] std::size_t rows() const { return numbers_.size(); }
  /// The rows of the block, ascending, whose target the model can be measured by, and the others.
  [[nodiscard]] std::span<const std::uint32_t> scored() const { return scored_; }
  [[nodiscard]] std::span<const std::uint32_t> others() const { return others_; }
  /// The texts of the wanted columns in one row of the block, in the order of `keep`.
  [[nodiscard]] const std::vector<std::string>& kept(std::size_t row) const { return kept_[row]; }

  /// A sentence on everything that was filled in, is not looked at or not scored.
  [[nodiscard]] std::vector<std::string> notes() const;

 private:
  [[nodiscard]] bool read(std::vector<CsvField>& fields);
  [[nodiscard]] std::optional<DataError> add(const std::vector<CsvField>& fields);
  void leave_out(const DataError& why);
  [[nodiscard]] bool add_targets(const std::vector<CsvField>& fields);
  enum class Truth { known, missing, wrong };
  [[nodiscard]] Truth add_target(const CsvField& field, std::size_t at);
  [[nodiscard]] std::string unscored_note() const;
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
  /// Rows that cannot be measured, and the place of the first one.
  struct Unscored {
    std::size_t rows = 0;
    std::string first;
  };
  Unscored without_target_, wrong_target_;
  std::size_t read_ = 0;                       // rows so far
  std::size_t below_header_ = 0, at_end_ = 0;  // records that were left out
  bool ended_ = false;
  std::vector<Encoded> encoded_;  // of the row that is added

  std::vector<float> x_, targets_;
  std::vector<std::int32_t> labels_;
  std::vector<std::uint32_t> numbers_, scored_, others_;  // 0, 1, ...: the block's rows
  std::vector<std::vector<std::string>> kept_;
};

}  // namespace nn
