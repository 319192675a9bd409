#include "runtime/key.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace rt {

base::Key key_of_file(const base::Path& path) {
  const base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw base::storage_error("read", path, errno);
  base::Hasher content;
  std::uint64_t size = 0;
  base::Bytes block(std::size_t{1} << 20);
  for (;;) {
    const ssize_t n = ::read(file.fd(), block.data(), block.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw base::storage_error("read", path, errno);
    if (n == 0) break;
    content.raw(std::span(block).first(static_cast<std::size_t>(n)));
    size += static_cast<std::uint64_t>(n);
  }
  return base::Hasher().add("file").add(size).add(content.finish()).finish();
}

}  // namespace rt
