// The steps by which a file comes to be, for those that need more of them than write_file_atomic.
// Thread-safe, but one NewFile is for one thread. Nothing throws: 0 or an errno value.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

#include "base/file.h"

namespace base {

/// Letters, digits and dashes that nobody else comes to: no other call, no process that was forked
/// from this one, none of another container or machine, whose processes may have the same numbers.
[[nodiscard]] std::string unique_name();

/// A name in the folder of `path` for what becomes that file. Left behind by a killed process, it
/// is in nobody's way.
[[nodiscard]] Path temporary_beside(const Path& path);

/// Removes what killed processes left in the folder under such names an hour ago or more.
void remove_leftovers(const Path& folder) noexcept;

/// A file that appears at `path` as a whole or not at all, whatever stood there before: it is
/// written under a temporary name in the same folder and removed again unless commit() gave it its
/// name. The first errno value that a step meets is kept: later steps do nothing and return it.
class NewFile {
 public:
  /// When the temporary name is given. `late`: by commit(), where the file system can do that, so
  /// that a process that is killed leaves nothing behind.
  enum class Naming { early, late };

  /// Permissions are 0666 less the umask.
  explicit NewFile(Path path, Naming naming = Naming::early);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Appends everything; 0, or the first errno value, that of opening the file included.
  int write(std::span<const std::byte> content);
  /// Renames the file to `path`; 0 or an errno value.
  [[nodiscard]] int commit(Durability how);
  /// The first errno value that a step met, or 0.
  [[nodiscard]] int code() const noexcept { return code_; }
  /// True once commit() has replaced what stood at `path`; it may still have failed to sync the
  /// folder.
  [[nodiscard]] bool renamed() const noexcept { return renamed_; }

 private:
  [[nodiscard]] int finish(Durability how);
  [[nodiscard]] int give_temporary_name();
  void discard() noexcept;

  Path path_, temporary_;
  File file_;
  int code_ = 0;
  bool named_ = false;  ///< the temporary name leads to the file
  bool renamed_ = false;
};

/// open(), tried again after a signal; close-on-exec. The descriptor or -1.
[[nodiscard]] int open_retrying(const char* path, int flags, mode_t mode = 0) noexcept;

/// Writes everything.
[[nodiscard]] int write_all(int fd, std::span<const std::byte> content);

/// Brings a file's content to the disk, or a folder's names.
[[nodiscard]] int sync_file(const Path& path);
[[nodiscard]] int sync_folder(const Path& folder);

/// Where a file of that name lies: "." for a mere name.
[[nodiscard]] Path folder_of(const Path& path);

}  // namespace base
