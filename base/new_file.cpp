#include "base/new_file.h"

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
#include <utility>

#include "base/clock.h"
#include "base/text.h"

namespace base {
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

NewFile::NewFile(Path path, Naming naming)
    : path_(std::move(path)), temporary_(temporary_beside(path_)) {
  if (naming == Naming::late)
    file_ = File(open_retrying(folder_of(path_).c_str(), O_WRONLY | O_TMPFILE, 0666));
  if (file_) return;
  file_ = File(open_retrying(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666));
  named_ = static_cast<bool>(file_);
  if (!named_) code_ = errno;
}

NewFile::~NewFile() { discard(); }

void NewFile::discard() noexcept {
  (void)file_.close();  // what it takes on the disk is free only then
  if (std::exchange(named_, false)) ::unlink(temporary_.c_str());
}

int NewFile::write(std::span<const std::byte> content) {
  if (code_ == 0) code_ = write_all(file_.fd(), content);
  return code_;
}

int NewFile::give_temporary_name() {
  const std::string open = cat("/proc/self/fd/", file_.fd());
  named_ = ::linkat(AT_FDCWD, open.c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) == 0;
  return named_ ? 0 : errno;
}

int NewFile::finish(Durability how) {
  int code = how == Durability::durable && ::fsync(file_.fd()) != 0 ? errno : 0;
  if (code == 0 && !named_) code = give_temporary_name();
  if (const int closed = file_.close(); code == 0) code = closed;
  if (code == 0 && ::rename(temporary_.c_str(), path_.c_str()) != 0) code = errno;
  if (code != 0) return code;
  renamed_ = true;
  named_ = false;
  return how == Durability::durable ? sync_folder(folder_of(path_)) : 0;
}

int NewFile::commit(Durability how) {
  if (code_ == 0) code_ = finish(how);
  discard();
  return code_;
}

int open_retrying(const char* path, int flags, mode_t mode) noexcept {
  int fd = -1;
  do fd = ::open(path, flags | O_CLOEXEC, mode);
  while (fd < 0 && errno == EINTR);
  return fd;
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
  // Some network file systems cannot sync a folder, and one that may not be listed cannot be
  // opened: their rename is as durable as it can be made.
  return code == EINVAL || code == EACCES ? 0 : code;
}

Path folder_of(const Path& path) { return path.has_parent_path() ? path.parent_path() : Path("."); }

}  // namespace base
