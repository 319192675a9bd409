#include "runtime/base/read_all.h"

#include <unistd.h>

#include <cerrno>

namespace rt {

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

}  // namespace rt
