#pragma once
// A folder for a while.

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

/// Where a process keeps what no other machine needs: the folder that the scheduler gave its job
/// (SLURM_TMPDIR), else that of temporary files.
[[nodiscard]] Path node_folder();

}  // namespace base
