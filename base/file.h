// Files, with errors that say path, reason and remedy. Everything throws base::Error: Errc::storage
// when the file system refused, and nothing else. Thread-safe unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace base {

using Path = std::filesystem::path;

/// An open file descriptor that closes itself. Movable, not copyable.
class File {
 public:
  File() = default;
  explicit File(int fd) noexcept : fd_(fd) {}
  File(File&& other) noexcept : fd_(other.release()) {}
  File& operator=(File&& other) noexcept;
  ~File();

  [[nodiscard]] int fd() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  int release() noexcept;
  /// Closes now and returns 0 or the errno of close(), which is where some file systems report a
  /// failed write.
  int close() noexcept;

 private:
  int fd_ = -1;
};

/// Whether a write must survive a power cut (`durable`: fsync of file and folder) or only be all or
/// nothing for other processes (`cached`: the page cache is enough; a kill of this process loses
/// nothing either way).
enum class Durability { cached, durable };

/// The whole content of a regular file. Follows symbolic links; refuses folders, pipes and devices,
/// and files beyond `limit` bytes.
[[nodiscard]] std::string read_file(const Path& path, std::uint64_t limit = UINT64_MAX);
[[nodiscard]] Bytes read_bytes(const Path& path, std::uint64_t limit = UINT64_MAX);

/// The outcome of a read: the bytes that came, and 0 or the errno value that ended it.
struct ReadResult {
  std::size_t bytes = 0;
  int code = 0;
};

/// Reads until `into` is full or the file ends, from where the descriptor stands. Goes on after
/// signals.
[[nodiscard]] ReadResult read_into(int fd, std::span<std::byte> into) noexcept;
/// The same from a place in the file; where the descriptor stands is neither used nor moved.
[[nodiscard]] ReadResult read_into(int fd, std::span<std::byte> into,
                                   std::uint64_t offset) noexcept;

/// Replaces `path` by `content` so that every reader, now or after a crash, sees the old or the new
/// content and never a part: temporary file in the same folder (O_EXCL), write, fsync, rename,
/// fsync of the folder. On failure the old file is untouched and the temporary one gone.
/// Permissions of a new file: 0666 less the umask.
void write_file_atomic(const Path& path, std::string_view content,
                       Durability how = Durability::durable);
void write_file_atomic(const Path& path, std::span<const std::byte> content,
                       Durability how = Durability::durable);
/// The same for a secret: permissions are 0600, from the first moment. Not synced to the disk.
void write_private_file(const Path& path, std::span<const std::byte> content);

/// Creates a folder and those above it; an existing one (or a link to one) is fine.
void make_folder(const Path& path);

/// Checks, before work is spent, that files can be created in `folder` (made if missing): 20 bytes
/// are written and removed.
void require_writable(const Path& folder);

/// Removes a file; true when it was there. A missing file is no error.
bool remove_file(const Path& path);

/// Size in bytes of a regular file, or nothing when there is none.
[[nodiscard]] std::optional<std::uint64_t> file_size(const Path& path) noexcept;

/// Bytes that an unprivileged user can still write on the file system that holds `path` (or its
/// nearest existing parent).
[[nodiscard]] std::optional<std::uint64_t> free_bytes(const Path& path) noexcept;

/// The error for a refused operation, e.g. storage_error("write", path, ENOSPC): "cannot write
/// runs/a/best: No space left on device (0 B free); free some space or choose another folder with
/// --dir".
[[nodiscard]] Error storage_error(std::string_view operation, const Path& path, int code);

/// The user's cache folder for this program: $XDG_CACHE_HOME/trellis, else ~/.cache/trellis, else
/// /tmp/trellis-<uid>. Not created.
[[nodiscard]] Path cache_folder();

}  // namespace base
