#pragma once
// Parts of this machine that processes of one user claim, so that no two of them use the same one.

#include <string>
#include <vector>

#include "base/file.h"

namespace base {

/// The folder of this user's claims on this machine: $TRELLIS_CLAIMS, else one in /tmp that has the
/// user's number in its name. Not in $TMPDIR, which a scheduler may set for each job.
[[nodiscard]] Path claims_folder();

/// Claims of this process. Each is a lock on a file, so it ends with this object or with the
/// process, however that ends. Not thread-safe.
class Claims {
 public:
  /// Makes the folder where it is missing. Throws Error (storage), also for a folder that belongs
  /// to another user: that one could take all claims away.
  explicit Claims(Path folder = claims_folder());

  /// Claims a name, such as "core-3". Returns false if a process has it, this one included. Throws
  /// Error (storage).
  [[nodiscard]] bool take(const std::string& name);

  [[nodiscard]] const Path& folder() const noexcept { return folder_; }

 private:
  Path folder_;
  std::vector<File> held_;
};

}  // namespace base
