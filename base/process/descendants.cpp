#include "base/process/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace base {

namespace {

struct Process {
  pid_t id, parent;
  bool ours;
};

/// The beginning of /proc/ID/FILE, or nothing.
template <std::size_t N>
bool read_proc(pid_t id, const char* file, std::array<char, N>& out) {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/%s", id, file);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t bytes = ::read(fd, out.data(), N - 1);
  ::close(fd);
  if (bytes <= 0) return false;
  out[static_cast<std::size_t>(bytes)] = '\0';
  return true;
}

/// Field 4 of its stat line, behind a name that may hold anything; -1 for one that is gone.
pid_t parent_of(pid_t id) {
  std::array<char, 512> text{};
  if (!read_proc(id, "stat", text)) return -1;
  const char* name_end = std::strrchr(text.data(), ')');
  int parent = -1;
  char state = 0;
  if (name_end == nullptr || std::sscanf(name_end + 1, " %c %d", &state, &parent) != 2) return -1;
  return parent;
}

std::vector<Process> all_processes() {
  std::vector<Process> found;
  DIR* proc = ::opendir("/proc");
  if (proc == nullptr) return found;
  while (const dirent* entry = ::readdir(proc)) {
    const auto id = static_cast<pid_t>(std::atoi(entry->d_name));
    if (id > 0) found.push_back({id, parent_of(id), false});
  }
  ::closedir(proc);
  return found;
}

}  // namespace

std::vector<pid_t> descendants() {
  std::vector<Process> all = all_processes();
  std::vector<pid_t> ours{::getpid()};
  for (std::size_t next = 0; next < ours.size(); ++next) {
    for (Process& process : all) {
      if (process.ours || process.parent != ours[next]) continue;
      process.ours = true;
      ours.push_back(process.id);
    }
  }
  ours.erase(ours.begin());
  return ours;
}

std::vector<pid_t> children() {
  std::vector<pid_t> ours;
  for (const Process& process : all_processes()) {
    if (process.parent == ::getpid()) ours.push_back(process.id);
  }
  return ours;
}

std::uint64_t resident_bytes(const std::vector<pid_t>& processes) {
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  std::uint64_t pages = 0;
  for (const pid_t process : processes) {
    std::array<char, 128> text{};
    unsigned long long total = 0, resident = 0;
    if (!read_proc(process, "statm", text)) continue;
    if (std::sscanf(text.data(), "%llu %llu", &total, &resident) == 2) pages += resident;
  }
  return pages * page;
}

std::uint64_t proportional_bytes(const std::vector<pid_t>& processes) {
  constexpr std::uint64_t kKilo = 1024;
  std::uint64_t bytes = 0;
  for (const pid_t process : processes) {
    std::array<char, 2048> text{};
    unsigned long long kilobytes = 0;
    const char* line =
        read_proc(process, "smaps_rollup", text) ? std::strstr(text.data(), "\nPss:") : nullptr;
    const bool told = line != nullptr && std::sscanf(line, " Pss: %llu", &kilobytes) == 1;
    bytes += told ? kilobytes * kKilo : resident_bytes({process});
  }
  return bytes;
}

}  // namespace base
