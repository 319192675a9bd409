#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/new_file.h"
#include "base/text.h"

namespace base {
namespace {

/// What the user can do about an errno value.
std::string_view remedy(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or use another folder";
    case EROFS:
      return "the file system is read-only: use another folder";
    case EACCES:
    case EPERM:
      return "change its permissions or use another folder";
    case ENOENT:
      return "check the path";
    case ENOTDIR:
      return "a part of the path is a file, move it away or use another folder";
    case ELOOP:
      return "expected a file, not a link that leads elsewhere: move it away";
    case EISDIR:
      return "expected a file";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    case EFBIG:
      return "raise the limit of file sizes (ulimit -f)";
    case EIO:
      return "the disk or network reported a fault: check it before you continue";
    default:
      return "";
  }
}

/// Opens a regular file for reading.
File open_regular(const Path& path, std::uint64_t limit, std::uint64_t& size) {
  File file(
      open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK));  // non-blocking: a pipe must not hang us
  if (!file) throw storage_error("read", path, errno);
  struct stat info {};
  if (::fstat(file.fd(), &info) != 0) throw storage_error("read", path, errno);
  if (S_ISDIR(info.st_mode)) throw storage_error("read", path, EISDIR);
  if (!S_ISREG(info.st_mode))
    throw Error(Errc::storage, cat("cannot read ", path.string(), ": not a regular file"));
  size = static_cast<std::uint64_t>(info.st_size);
  if (size > limit) {
    throw Error(Errc::storage, cat("cannot read ", path.string(), ": it has ", size,
                                   " bytes, more than the ", limit, " allowed"));
  }
  return file;
}

/// Calls `read(into)` until nothing is left to fill or nothing comes.
template <class Read>
ReadResult fill(std::span<std::byte> into, const Read& read) noexcept {
  ReadResult done;
  while (done.bytes < into.size()) {
    const ssize_t n = read(into.subspan(done.bytes), done.bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) done.code = errno;
    if (n <= 0) break;
    done.bytes += static_cast<std::size_t>(n);
  }
  return done;
}

template <class Container>
Container read_whole(const Path& path, std::uint64_t limit) {
  std::uint64_t size = 0;
  const File file = open_regular(path, limit, size);
  Container content;
  content.resize(static_cast<std::size_t>(size));
  const ReadResult read = read_into(file.fd(), std::as_writable_bytes(std::span(content)));
  if (read.code != 0) throw storage_error("read", path, read.code);
  content.resize(read.bytes);  // it may have become shorter: what is there is the content
  return content;
}

}  // namespace

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.release();
  }
  return *this;
}

File::~File() { close(); }

int File::release() noexcept { return std::exchange(fd_, -1); }

int File::close() noexcept {
  const int fd = release();
  // Never retried after EINTR: on Linux the descriptor is gone either way.
  return fd >= 0 && ::close(fd) != 0 ? errno : 0;
}

ReadResult read_into(int fd, std::span<std::byte> into) noexcept {
  return fill(into, [fd](std::span<std::byte> rest, std::size_t) {
    return ::read(fd, rest.data(), rest.size());
  });
}

ReadResult read_into(int fd, std::span<std::byte> into, std::uint64_t offset) noexcept {
  return fill(into, [fd, offset](std::span<std::byte> rest, std::size_t done) {
    return ::pread(fd, rest.data(), rest.size(), static_cast<off_t>(offset + done));
  });
}

std::string read_file(const Path& path, std::uint64_t limit) {
  return read_whole<std::string>(path, limit);
}
Bytes read_bytes(const Path& path, std::uint64_t limit) { return read_whole<Bytes>(path, limit); }

void write_file_atomic(const Path& path, std::string_view content, Durability how) {
  write_file_atomic(path, as_bytes(content), how);
}

void write_file_atomic(const Path& path, std::span<const std::byte> content, Durability how) {
  NewFile file(path);
  file.write(content);
  if (const int code = file.commit(how); code != 0)
    throw storage_error(file.renamed() ? "sync the folder of" : "write", path, code);
}

void write_private_file(const Path& path, std::span<const std::byte> content) {
  const Path beside = temporary_beside(path);
  File file(open_retrying(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
  if (!file) throw storage_error("write", path, errno);
  int code = write_all(file.fd(), content);
  if (const int closed = file.close(); code == 0) code = closed;
  if (code == 0 && ::rename(beside.c_str(), path.c_str()) != 0) code = errno;
  if (code == 0) return;
  ::unlink(beside.c_str());
  throw storage_error("write", path, code);
}

void make_folder(const Path& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw storage_error("create the folder", path, error.value());
  if (!std::filesystem::is_directory(path, error))
    throw storage_error("create the folder", path, ENOTDIR);
}

void require_writable(const Path& folder) {
  make_folder(folder);
  const Path probe = temporary_beside(folder / "probe");
  File file(open_retrying(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600));
  if (!file) throw storage_error("write in the folder", folder, errno);
  int code = write_all(file.fd(), as_bytes("can this be written?"));
  if (const int closed = file.close(); code == 0) code = closed;
  ::unlink(probe.c_str());
  if (code != 0) throw storage_error("write in the folder", folder, code);
}

bool remove_file(const Path& path) {
  if (::unlink(path.c_str()) == 0) return true;
  if (errno == ENOENT) return false;
  throw storage_error("remove", path, errno);
}

std::optional<std::uint64_t> file_size(const Path& path) noexcept {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

std::optional<std::uint64_t> free_bytes(const Path& path) noexcept {
  try {
    Path at = std::filesystem::absolute(path);
    struct statvfs info {};
    while (::statvfs(at.c_str(), &info) != 0) {
      if (!at.has_relative_path()) return std::nullopt;
      at = at.parent_path();
    }
    return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

Error storage_error(std::string_view operation, const Path& path, int code) {
  std::string message = cat("cannot ", operation, " ", printable(path.string(), 300), ": ",
                            code == EISDIR ? "it is a folder" : errno_words(code));
  if (code == ENOSPC || code == EDQUOT) {
    if (const auto bytes = free_bytes(path)) message += cat(" (", format_bytes(*bytes), " free)");
  }
  if (const auto advice = remedy(code); !advice.empty()) message += cat("; ", advice);
  return Error(Errc::storage, message);
}

Path cache_folder() {
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && xdg[0] == '/')
    return Path(xdg) / "trellis";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return Path(home) / ".cache" / "trellis";
  return Path("/tmp") / cat("trellis-", ::getuid());
}

}  // namespace base
