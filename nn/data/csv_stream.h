#pragma once
// CSV records from front to back of a file that may be larger than memory, gz or not, or a pipe.

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/csv_sniff.h"

namespace nn {

/// Reads a table piece by piece, UTF-16 (with a byte order mark) as UTF-8. Records, quotes and
/// messages as CsvCursor has them; the delimiter is sniffed from the first piece.
class CsvStream {
 public:
  /// Bytes of a piece, and the most that one record may have.
  static constexpr std::size_t kPiece = std::size_t{1} << 17;
  static constexpr std::size_t kLongest = std::size_t{64} << 20;

  /// "-" is standard input. `missing`, as CsvText has it, outlives the stream. `decimal_comma` is
  /// for a table that does not tell. Throws DataError when the file can't be read.
  explicit CsvStream(const std::string& path, std::span<const std::string> missing = {},
                     std::size_t piece = kPiece, bool decimal_comma = false);
  ~CsvStream();
  CsvStream(const CsvStream&) = delete;
  CsvStream& operator=(const CsvStream&) = delete;

  [[nodiscard]] const std::string& path() const { return csv_.path; }
  [[nodiscard]] char delimiter() const { return csv_.delimiter; }
  /// What the first piece says.
  [[nodiscard]] DecimalSign decimal_sign() const { return sign_; }

  /// The next record; false at the end. Fields are valid until the next call. Throws DataError for
  /// what is no CSV, for a record beyond kLongest, for zero bytes and damaged gz data.
  [[nodiscard]] bool next(std::vector<CsvField>& fields);

 private:
  struct Source;
  void refill(std::size_t done, std::size_t line);

  std::unique_ptr<Source> source_;
  std::size_t piece_;
  std::string text_;
  bool ended_ = false;
  CsvText csv_;
  DecimalSign sign_ = DecimalSign::open;
  std::optional<CsvCursor> cursor_;
};

}  // namespace nn
