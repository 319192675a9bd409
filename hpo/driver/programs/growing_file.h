#pragma once
// The bytes of a file that another process appends to.

#include <cstdint>
#include <string>

#include "base/file.h"

namespace hpo {

/// Remembers how far it has read. Not thread-safe.
class GrowingFile {
 public:
  /// Whether the file does not go on behind what was read last: it was emptied, or is another one.
  /// Then the next take() begins at the beginning. False for no file.
  [[nodiscard]] bool begins_anew(const base::File& file);

  /// The next bytes, at most `most`; empty: there are none now, or no file.
  [[nodiscard]] std::string take(const base::File& file, std::size_t most);

  /// Bytes read so far.
  [[nodiscard]] std::uint64_t bytes() const { return offset_; }

 private:
  std::uint64_t offset_ = 0;
  std::string seen_;  ///< the last bytes before the offset
};

}  // namespace hpo
