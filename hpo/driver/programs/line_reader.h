#pragma once
// The lines of a file that grows.

#include <string>
#include <vector>

#include "base/file.h"
#include "hpo/driver/programs/growing_file.h"

namespace hpo {

/// Remembers how far it has read. Not thread-safe.
class LineReader {
 public:
  /// A line beyond `most` bytes is cut there.
  explicit LineReader(std::size_t most) : most_(most) {}

  /// The lines that were completed since the last call; with `all`, also one without an end.
  /// Carriage returns end lines too, as on a terminal. Begins at the beginning where `file` does
  /// not go on behind what was read last: it was emptied, or is another one. No file: nothing new.
  /// Reads some MiB at a time: there may be more().
  [[nodiscard]] std::vector<std::string> take(const base::File& file, bool all);

  /// Whether the last call left something for the next one.
  [[nodiscard]] bool more() const { return more_; }
  /// Bytes read so far.
  [[nodiscard]] std::uint64_t bytes() const { return file_.bytes(); }

 private:
  std::size_t most_;
  GrowingFile file_;
  bool more_ = false;
  std::string line_;  ///< the one that has no end yet
};

}  // namespace hpo
