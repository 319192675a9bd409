#pragma once
// A folder for a while.

#include <optional>
#include <string_view>

#include "base/file.h"

namespace base {

/// A new folder with a name of its own, removed with all that is in it. A killed process leaves it
/// behind.
class TemporaryFolder {
 public:
  /// Makes it in `parent`; its name begins with `prefix`. Throws base::Error (storage).
  TemporaryFolder(const Path& parent, std::string_view prefix);
  /// Makes it in $TMPDIR, or /tmp.
  explicit TemporaryFolder(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const Path& path() const noexcept { return path_; }

 private:
  Path path_;
};

/// A temporary folder that does not stay for good where its process is killed: the next one with
/// that parent and prefix, of any process of this user, removes it. Not thread-safe.
class HeldFolder {
 public:
  /// Removes what killed processes left, and makes a new folder. Throws base::Error (storage).
  HeldFolder(const Path& parent, std::string_view prefix);

  [[nodiscard]] const Path& path() const noexcept { return folder_->path(); }

 private:
  std::optional<TemporaryFolder> folder_;
  File held_;  ///< a locked file in it: the lock ends with the process
};

/// Where a process keeps what no other machine needs: the folder that the scheduler gave its job
/// (SLURM_TMPDIR), else that of temporary files.
[[nodiscard]] Path node_folder();

}  // namespace base
