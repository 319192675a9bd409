#pragma once
// One IDX file of unsigned bytes: the format of MNIST's files (big-endian magic, dimensions,
// values).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/data/load.h"
#include "nn/data/source_file.h"

namespace nn {

/// What the first bytes of a file say, checked against what the file can hold.
struct IdxHeader {
  std::vector<std::size_t> dims;  ///< rows first; none is 0
  std::size_t per_row = 1;        ///< values of one row; each dimension of a row fits an int32
  [[nodiscard]] std::size_t rows() const { return dims.front(); }
  [[nodiscard]] std::string text() const;  ///< "60000x28x28"
};

/// Reads the header at once, the values on demand; nothing is allocated by what a file claims. The
/// file outlives the reader. Throws DataError for anything but the values that the header claims.
class IdxReader {
 public:
  IdxReader(const SourceFile& file, std::size_t least_dims, std::size_t most_dims,
            const LoadLimits& limits);

  [[nodiscard]] const IdxHeader& header() const { return header_; }

  /// The next out.size() values.
  void values(std::span<std::uint8_t> out);

  /// To be called after all values were read: nothing may follow.
  void expect_end();

 private:
  [[noreturn]] void fail(const std::string& text) const;
  void read_dims(std::size_t count, const LoadLimits& limits);
  void check_size(std::size_t start, bool overflow, std::size_t total, const LoadLimits& limits);

  const SourceFile& file_;
  ContentReader content_;
  IdxHeader header_;
};

}  // namespace nn
