#include "base/process/no_more.h"

#include <fcntl.h>

#include <cerrno>
#include <optional>
#include <vector>

#include "base/file.h"
#include "base/text.h"

namespace base {

namespace {

std::optional<rlimit> files_before;

std::string_view lack_remedy(int code) {
  switch (code) {
    case EMFILE:
    case ENFILE:
      return ": raise the limit of open files (ulimit -n)";
    case EAGAIN:
      return ": raise the limit of processes (ulimit -u, or the control group's pids.max)";
    default:
      return "";
  }
}

}  // namespace

NoMore::NoMore(std::string_view what, int code)
    : Error(Errc::storage, cat("cannot ", what, ": ", errno_words(code), lack_remedy(code))) {}

bool NoMore::says(int code) {
  return code == EAGAIN || code == ENOMEM || code == EMFILE || code == ENFILE;
}

void raise_file_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  if (files_before && limit.rlim_cur == limit.rlim_max) return;  // raised before
  files_before = limit;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

const rlimit* file_limit_before() { return files_before ? &*files_before : nullptr; }

void require_files(int count) {
  std::vector<File> files;
  while (count-- > 0) {
    if (!files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC)))
      throw NoMore("open more files", errno);
  }
}

}  // namespace base
