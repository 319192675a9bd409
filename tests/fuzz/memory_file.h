#pragma once
// An input for parsers that want a path.

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <string_view>

#include "tests/fuzz/fuzz.h"

namespace fuzz {

/// A file in memory that has a path.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content) : fd_(::memfd_create("input", MFD_CLOEXEC)) {
    const bool whole =
        ::write(fd_, content.data(), content.size()) == static_cast<ssize_t>(content.size());
    promise(whole, "there is room for the input");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
};

}  // namespace fuzz
