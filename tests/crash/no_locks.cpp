// A file system without locks, for a program that is started with this library in LD_PRELOAD.
//
// TEST_LOCKS=granted  every lock is granted to everybody, as sshfs does between machines
// TEST_LOCKS=refused  no lock is granted, as on NFS without its lock server (ENOLCK)
// TEST_HOST=NAME      the name of the machine, so that processes here are those of several ones
//
// All folders are of a network file system (FUSE). Everything else is as it is.

#undef _FILE_OFFSET_BITS  // the functions by their own names: callers use either of two

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

constexpr long kFuse = 0x65735546;

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool granted() {
  const char* const word = std::getenv("TEST_LOCKS");
  return word == nullptr || std::string_view(word) != "refused";
}

int answer() {
  if (granted()) return 0;
  errno = ENOLCK;
  return -1;
}

int on_file(int fd, int command, void* argument) {
  switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      return answer();
    case F_GETLK:
    case F_OFD_GETLK:
      if (granted()) static_cast<struct flock*>(argument)->l_type = F_UNLCK;
      return answer();
    default:
      break;
  }
  static const auto real = next<int (*)(int, int, ...)>("fcntl64");
  return real(fd, command, argument);
}

void* argument_of(std::va_list list) { return va_arg(list, void*); }

}  // namespace

extern "C" {

int fcntl(int fd, int command, ...) {
  std::va_list list;
  va_start(list, command);
  void* const argument = argument_of(list);
  va_end(list);
  return on_file(fd, command, argument);
}

int fcntl64(int fd, int command, ...) {
  std::va_list list;
  va_start(list, command);
  void* const argument = argument_of(list);
  va_end(list);
  return on_file(fd, command, argument);
}

int flock(int, int) noexcept { return answer(); }

int statfs(const char* path, struct statfs* info) noexcept {
  static const auto real = next<int (*)(const char*, struct statfs*)>("statfs");
  const int code = real(path, info);
  if (code == 0) info->f_type = kFuse;
  return code;
}

int statfs64(const char* path, struct statfs64* info) noexcept {
  static const auto real = next<int (*)(const char*, struct statfs64*)>("statfs64");
  const int code = real(path, info);
  if (code == 0) info->f_type = kFuse;
  return code;
}

int gethostname(char* name, std::size_t size) noexcept {
  static const auto real = next<int (*)(char*, std::size_t)>("gethostname");
  const char* const own = std::getenv("TEST_HOST");
  if (own == nullptr) return real(name, size);
  const std::size_t length = std::strlen(own) + 1;
  std::memcpy(name, own, std::min(length, size));
  if (length <= size) return 0;
  errno = ENAMETOOLONG;
  return -1;
}

}  // extern "C"
