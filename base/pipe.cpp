#include "base/pipe.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace base {

Pipe open_pipe() noexcept {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  return {.read = File(ends[0]), .write = File(ends[1])};
}

std::string read_all(int fd) {
  std::string text;
  char bytes[4096];
  for (;;) {
    const ssize_t n = ::read(fd, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(bytes, static_cast<std::size_t>(n));
  }
}

}  // namespace base
