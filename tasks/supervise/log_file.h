#pragma once
// A program's output on disk, at most so many bytes of it: its beginning and its end.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tasks {

class LogFile {
 public:
  /// Appends to the open file `fd`, at most `most` bytes in all.
  LogFile(int fd, std::uint64_t most);

  /// The beginning is written at once, what may become the end is kept in memory.
  void take(const char* data, std::size_t size);
  /// Writes the end, and between the two how much is missing. Returns the number of missing bytes.
  std::uint64_t finish();

 private:
  int fd_;
  std::uint64_t head_left_;       ///< of the beginning
  std::vector<char> tail_;        ///< a ring
  std::uint64_t tail_bytes_ = 0;  ///< taken by the ring so far
  std::size_t tail_room_;
};

}  // namespace tasks
