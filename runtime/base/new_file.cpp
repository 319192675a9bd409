#include "runtime/base/new_file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <system_error>

#include "runtime/base/clock.h"
#include "runtime/base/text.h"

namespace rt {
namespace {

constexpr std::string_view kBeginning = ".tmp-";

std::string drawn() {
  auto bits = static_cast<std::uint64_t>(now().nanos);  // for a kernel that gives none
  (void)!::getrandom(&bits, sizeof bits, GRND_NONBLOCK);
  std::array<char, 24> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(bits));
  return digits.data();
}

int sync(const Path& path, int flags) {
  const File file(::open(path.c_str(), flags | O_RDONLY | O_CLOEXEC));
  if (!file) return errno;
  return ::fsync(file.fd()) == 0 ? 0 : errno;
}

}  // namespace

std::string unique_name() {
  static const std::string token = drawn();
  static std::atomic<unsigned> counter{0};
  return cat(token, "-", ::getpid(), "-", counter.fetch_add(1));
}

Path temporary_beside(const Path& path) {
  return folder_of(path) /
         cat(kBeginning, unique_name(), "-", path.filename().string().substr(0, 64));
}

void remove_leftovers(const Path& folder) noexcept {
  constexpr std::time_t kLeft = 3600;
  std::error_code trouble;
  const std::time_t now = std::time(nullptr);
  for (std::filesystem::directory_iterator at(folder, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    const std::string path = at->path().native();
    struct stat info {};
    if (std::string_view(path).substr(path.rfind('/') + 1).starts_with(kBeginning) &&
        ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_mtime + kLeft < now)
      ::unlink(path.c_str());
  }
}

int write_all(int fd, std::span<const std::byte> content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    content = content.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

int sync_file(const Path& path) { return sync(path, O_NONBLOCK); }

int sync_folder(const Path& folder) {
  const int code = sync(folder, O_DIRECTORY);
  // Some network file systems cannot sync a folder; their rename is as durable as they can make it.
  return code == EINVAL ? 0 : code;
}

Path folder_of(const Path& path) { return path.has_parent_path() ? path.parent_path() : Path("."); }

}  // namespace rt
