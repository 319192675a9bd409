#include "base/temporary_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/text.h"

namespace base {

TemporaryFolder::TemporaryFolder(const Path& parent, std::string_view prefix) {
  std::string name = (parent / cat(prefix, "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw storage_error("create", name, errno);
  path_ = name;
}

TemporaryFolder::TemporaryFolder(std::string_view prefix)
    : TemporaryFolder(std::filesystem::temp_directory_path(), prefix) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Path node_folder() {
  const char* const of_job = std::getenv("SLURM_TMPDIR");
  return of_job != nullptr ? Path(of_job) : std::filesystem::temp_directory_path();
}

}  // namespace base
