#pragma once
// CSV records from front to back of a file that may be larger than memory, gz or not, or a pipe.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "nn/data/csv_records.h"
#include "nn/data/csv_sniff.h"
#include "nn/data/data_spec.h"

namespace nn {

/// What whoever reads a table knows of it.
struct TableHints {
  std::span<const std::string> missing = {};  ///< as CsvText has it; outlives the stream
  bool decimal_comma = false;                 ///< for a table that does not tell
  /// Whether a first line fits as one field: blanks do not cut it then.
  std::function<bool(const CsvField&)> one_field = {};
  char quote = '"';    ///< for a table that is even with it
  SkipSpec skip = {};  ///< its lines and comments are left out; the rest is for whoever reads
  /// Whether a first record shows that nothing stands above it: no lines are left out then.
  std::function<bool(const std::vector<CsvField>&)> is_header = {};
};

/// Reads a table piece by piece, UTF-16 (with a byte order mark) as UTF-8. Records, quotes and
/// messages as CsvCursor has them; what the file does not say of itself is sniffed from its first
/// lines: as many as csv_sniff.h looks at, or two and all within kSniffed bytes.
class CsvStream {
 public:
  /// Bytes of a piece, and the most that one record may have.
  static constexpr std::size_t kPiece = std::size_t{1} << 17;
  static constexpr std::size_t kLongest = std::size_t{64} << 20;
  static constexpr std::size_t kSniffed = std::size_t{1} << 20;

  /// "-" is standard input. Throws DataError when the file can't be read.
  explicit CsvStream(const std::string& path, const TableHints& hints = {},
                     std::size_t piece = kPiece);
  ~CsvStream();
  CsvStream(const CsvStream&) = delete;
  CsvStream& operator=(const CsvStream&) = delete;

  [[nodiscard]] const std::string& path() const { return csv_.path; }
  [[nodiscard]] char delimiter() const { return csv_.delimiter; }
  /// What the first lines say.
  [[nodiscard]] DecimalSign decimal_sign() const { return sign_; }
  [[nodiscard]] bool has_row_names() const { return row_names_; }
  /// Lines that were left out above the first record.
  [[nodiscard]] std::size_t left_out() const { return csv_.lines; }

  /// The next record; false at the end. Fields are valid until the next call. Throws DataError for
  /// what is no CSV, for a record beyond kLongest, for zero bytes and damaged gz data.
  [[nodiscard]] bool next(std::vector<CsvField>& fields);

 private:
  struct Source;
  void refill(std::size_t done, std::size_t line);
  [[nodiscard]] std::string_view first_lines();
  void find_beginning(std::string_view lines, const TableHints& hints);

  std::unique_ptr<Source> source_;
  std::size_t piece_;
  std::string text_;
  std::string comment_;
  bool ended_ = false;
  CsvText csv_;
  DecimalSign sign_ = DecimalSign::open;
  bool row_names_ = false;
  std::optional<CsvCursor> cursor_;
};

}  // namespace nn
