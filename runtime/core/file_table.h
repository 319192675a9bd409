// The files that tasks read and make, by path.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/parameters.h"
#include "runtime/core/version.h"

namespace rt::inline v0::detail {

/// What the next task that uses a file has to follow.
struct FileState {
  FilePath name;
  std::vector<Node*> pure_readers;  ///< since the last writer; one reference each
  Held content;                     ///< made by the last task that writes it; given when none did
  Held gate;                        ///< complete once that task and all readers since have ended
};

/// Driver thread only.
class FileTable {
 public:
  /// Returns the state of the file, which stays where it is. `makes`: for a task that makes the
  /// file. Such a task replaces a link of that name, where a reader goes where the link leads; but
  /// not past a task that will have replaced it. Throws what the file system throws.
  [[nodiscard]] FileState& at(const std::filesystem::path& path, bool makes);
  /// Lets go of all nodes and versions. The names stay: tasks that still run look at them.
  void release() noexcept;

 private:
  std::unordered_map<std::string, FileState> files_;
};

}  // namespace rt::inline v0::detail
