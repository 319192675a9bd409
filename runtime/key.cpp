#include "runtime/key.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace rt {

Key key_of_file(const Path& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw storage_error("read", path, errno);
  Hasher content;
  std::uint64_t size = 0;
  Bytes block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t n = ::read(file.fd(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw storage_error("read", path, errno);
    if (n == 0) break;
    content.raw(std::span(block).first(static_cast<std::size_t>(n)));
    size += static_cast<std::uint64_t>(n);
  }
  return Hasher().add("file").add(size).add(content.finish()).finish();
}

}  // namespace rt
