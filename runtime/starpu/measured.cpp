#include "runtime/starpu/measured.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace rt::detail {

namespace {

std::string machine_name(int gpus) {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "-" + std::to_string(std::thread::hardware_concurrency()) +
         "c-" + std::to_string(gpus) + "g";
}

/// Held by whoever measures; none where the file system has no locks.
File lock_of(const Path& folder) {
  File lock(::open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock) return lock;
  while (::flock(lock.fd(), LOCK_EX) != 0) {
    if (errno != EINTR) return {};
  }
  return lock;
}

void remove_figures(const Path& folder, const std::string& machine) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(machine + ".")) remove_file(entry.path());
  }
}

}  // namespace

Measuring::Measuring(const Path& home, int gpus) {
  const std::string machine = machine_name(gpus);
  const Path folder = home / "bus";
  ::setenv("STARPU_PERF_MODEL_DIR", home.c_str(), 1);
  ::setenv("STARPU_HOSTNAME", machine.c_str(), 1);
  mark_ = folder / (machine + ".measured");
  if (rt::file_size(mark_)) return;
  make_folder(folder);
  lock_ = lock_of(folder);
  if (!rt::file_size(mark_)) remove_figures(folder, machine);
}

void Measuring::done() {
  if (!rt::file_size(mark_)) write_file_atomic(mark_, std::string_view(), Durability::cached);
  lock_ = File();
}

}  // namespace rt::detail
