#pragma once
// A program's log that is read to its end while it grows: of what was read, its beginning and its
// end stay.

#include <cstdint>

#include "base/file.h"

namespace hpo {

/// Not thread-safe.
class LongLog {
 public:
  /// `most`: bytes that stay.
  explicit LongLog(std::uint64_t most);

  /// The first `bytes` of it were read: gives back the disk of those between beginning and end,
  /// where the file system can.
  void was_read(const base::File& log, std::uint64_t bytes);

  /// Nothing more is written: cuts them out, and says how many they were. `log` is open for
  /// appending.
  void finish(const base::File& log) const;

 private:
  std::uint64_t most_, end_;      ///< bytes that stay in all, of them the last ones
  std::uint64_t given_back_ = 0;  ///< up to where
};

}  // namespace hpo
