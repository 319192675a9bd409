#pragma once
// The lines of a file that grows.

#include <string>
#include <vector>

#include "runtime/base/file.h"

namespace hpo {

/// Remembers how far it has read. Not thread-safe.
class LineReader {
 public:
  /// `file` outlives it; a line beyond `most` bytes is cut there.
  explicit LineReader(const rt::File& file, std::size_t most) : file_(file), most_(most) {}

  /// The lines that were completed since the last call; with `all`, also one without an end.
  /// Carriage returns end lines too, as on a terminal.
  [[nodiscard]] std::vector<std::string> take(bool all);

  /// Bytes read so far.
  [[nodiscard]] std::uint64_t bytes() const { return offset_; }

 private:
  const rt::File& file_;
  std::size_t most_;
  std::uint64_t offset_ = 0;
  std::string line_;  ///< the one that has no end yet
};

}  // namespace hpo
