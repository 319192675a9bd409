#include "base/temporary_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

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

namespace {

constexpr const char* kHeld = ".held";

File open_held(const Path& folder, int flags) {
  return File(::open((folder / kHeld).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
}

bool lock(const File& file) { return file && ::flock(file.fd(), LOCK_EX | LOCK_NB) == 0; }

void remove_abandoned(const Path& parent, std::string_view prefix) noexcept try {
  for (const auto& entry : std::filesystem::directory_iterator(parent)) {
    const Path& path = entry.path();
    struct stat found {};
    if (!path.filename().string().starts_with(prefix) || ::lstat(path.c_str(), &found) != 0 ||
        !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
      continue;
    const File file = open_held(path, 0);
    if (lock(file)) std::filesystem::remove_all(path);
  }
} catch (const std::exception&) {
  // The next one may succeed.
}

}  // namespace

HeldFolder::HeldFolder(const Path& parent, std::string_view prefix) {
  remove_abandoned(parent, prefix);
  // Another process may take a folder that is not locked yet for an abandoned one.
  constexpr int kTries = 20;
  for (int i = 0; i < kTries; ++i) {
    folder_.emplace(parent, prefix);
    held_ = open_held(folder_->path(), O_CREAT);
    const bool locked = lock(held_);
    // Without locks, nothing is removed either.
    const bool taken = !locked && errno == EWOULDBLOCK;
    if (!taken && std::filesystem::exists(folder_->path() / kHeld)) return;
  }
}

Path node_folder() {
  const char* const of_job = std::getenv("SLURM_TMPDIR");
  return of_job != nullptr ? Path(of_job) : std::filesystem::temp_directory_path();
}

}  // namespace base
