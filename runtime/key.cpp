#include "runtime/key.h"

#include <fcntl.h>

#include <cerrno>

namespace rt::inline v0 {

namespace {

base::Key file_key(std::uint64_t size, const base::Hasher& content) {
  return base::Hasher().add("file").add(size).add(content.finish()).finish();
}

}  // namespace

base::Key key_of_file(std::span<const std::byte> content) {
  base::Hasher hasher;
  hasher.raw(content);
  return file_key(content.size(), hasher);
}

base::Key key_of_file(const base::Path& path) {
  const base::File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) throw base::storage_error("read", path, errno);
  base::Hasher content;
  std::uint64_t size = 0;
  base::Bytes block(std::size_t{1} << 20);
  for (;;) {
    const base::ReadResult read = base::read_into(file.fd(), block);
    if (read.code != 0) throw base::storage_error("read", path, read.code);
    content.raw(std::span(block).first(read.bytes));
    size += read.bytes;
    if (read.bytes < block.size()) break;
  }
  return file_key(size, content);
}

}  // namespace rt::inline v0
