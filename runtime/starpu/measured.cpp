#include "runtime/starpu/measured.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/machine.h"
#include "base/text.h"

namespace rt::inline v0::detail {

namespace {

std::string machine_name(int gpus) {
  return base::cat(base::host_name(), "-", std::thread::hardware_concurrency(), "c-", gpus, "g");
}

/// Held by whoever measures; none where the file system has no locks.
base::File lock_of(const base::Path& file) {
  base::File lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  while (lock && ::flock(lock.fd(), LOCK_EX) != 0) {
    if (errno != EINTR) return {};
  }
  return lock;
}

/// Calls f(path) for the figures of a machine.
template <class F>
void for_figures(const base::Path& folder, const std::string& machine, F f) {
  std::error_code trouble;
  for (std::filesystem::directory_iterator at(folder, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    if (at->path().filename().string().starts_with(machine + ".")) f(at->path());
  }
}

/// A line for each of the figures: its name and its size.
std::string list_of(const base::Path& folder, const std::string& machine) {
  std::vector<std::string> lines;
  for_figures(folder, machine, [&](const base::Path& path) {
    lines.push_back(
        base::cat(path.filename().string(), " ", base::file_size(path).value_or(0), "\n"));
  });
  std::ranges::sort(lines);
  std::string list;
  for (const std::string& line : lines) list += line;
  return list;
}

}  // namespace

Measuring::Measuring(const base::Path& home, int gpus)
    : folder_(home / "bus"), machine_(machine_name(gpus)) {
  ::setenv("STARPU_PERF_MODEL_DIR", home.c_str(), 1);
  ::setenv("STARPU_HOSTNAME", machine_.c_str(), 1);
  if (is_measured()) return;
  base::make_folder(folder_);
  lock_ = lock_of(folder_ / base::cat("lock-", machine_));
  if (!lock_ || is_measured()) return;
  for_figures(folder_, machine_, [](const base::Path& path) {
    std::error_code trouble;  // StarPU says what is wrong with a file that stays
    std::filesystem::remove(path, trouble);
  });
}

base::Path Measuring::mark() const { return folder_ / base::cat("measured-", machine_); }

bool Measuring::is_measured() const {
  try {
    return base::file_size(mark()) && base::read_file(mark()) == list_of(folder_, machine_);
  } catch (const base::Error&) {
    return false;
  }
}

void Measuring::done() noexcept {
  try {
    if (lock_)
      base::write_file_atomic(mark(), std::string_view(list_of(folder_, machine_)),
                              base::Durability::cached);
  } catch (const std::exception&) {  // without a mark the next program measures again
  }
  lock_ = base::File();
}

}  // namespace rt::inline v0::detail
