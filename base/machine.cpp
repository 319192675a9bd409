#include "base/machine.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>
#include <utility>

#include "base/ascii.h"

namespace base {
namespace {

void lower(double& limit, double found) {
  if (found > 0) limit = limit > 0 ? std::min(limit, found) : found;
}

void lower(std::uint64_t& limit, std::uint64_t found) {
  if (found > 0) limit = limit > 0 ? std::min(limit, found) : found;
}

/// The number at the beginning of a file; 0 for none, as where it says "max" or "-1".
template <class T>
T number_in(const Path& file) {
  T number = 0;
  return std::ifstream(file) >> number && number > 0 ? number : 0;
}

/// Calls look(folder) for a group and all above it, up to where they are mounted. A container finds
/// its own group there, whatever the path says.
template <class Look>
void for_groups(const Path& mounted, const Path& group, Look look) {
  look(mounted);
  Path at = mounted;
  for (const Path& part : group.relative_path()) {
    if (part == "..") return;
    look(at /= part);
  }
}

void limit_by_group(const Path& folder, GroupLimits& limits) {
  double quota = 0, period = 0;
  if (std::ifstream(folder / "cpu.max") >> quota >> period && period > 0)
    lower(limits.cores, quota / period);
  lower(limits.memory, number_in<std::uint64_t>(folder / "memory.max"));
}

void limit_by_old_group(const Path& folder, GroupLimits& limits) {
  const auto quota = number_in<double>(folder / "cpu.cfs_quota_us");
  const auto period = number_in<double>(folder / "cpu.cfs_period_us");
  if (period > 0) lower(limits.cores, quota / period);
  lower(limits.memory, number_in<std::uint64_t>(folder / "memory.limit_in_bytes"));
}

bool is_gpu(std::string_view name) {
  constexpr std::string_view kPrefix = "nvidia";
  if (name == "dxg") return true;
  if (!name.starts_with(kPrefix) || name.size() == kPrefix.size()) return false;
  return std::ranges::all_of(name.substr(kPrefix.size()), is_digit);
}

}  // namespace

GroupLimits group_limits(const Path& groups, const Path& mounted) {
  GroupLimits limits;
  std::ifstream in(groups);
  // NUMBER:CONTROLLERS:GROUP
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const Path group = line.substr(second + 1);
    if (controllers.empty()) {
      for (const Path& root : {mounted, mounted / "unified"})
        for_groups(root, group, [&](const Path& at) { limit_by_group(at, limits); });
      continue;
    }
    for_groups(mounted / controllers, group,
               [&](const Path& at) { limit_by_old_group(at, limits); });
  }
  return limits;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int all = ::sched_getaffinity(0, sizeof set, &set) == 0
                      ? CPU_COUNT(&set)
                      : static_cast<int>(std::thread::hardware_concurrency());
  const double share = std::ceil(group_limits().cores);
  return std::max(1, share > 0 && share < all ? static_cast<int>(share) : all);
}

int threads_of_a_core(const Path& processors) {
  // A list of numbers and ranges: "0-1", "0,8".
  std::ifstream list(processors / "cpu0" / "topology" / "thread_siblings_list");
  int threads = 0;
  for (int first = 0; list >> first; list.get()) {
    int last = first;
    if (list.peek() == '-' && !(list.ignore() >> last)) break;
    threads += std::max(0, last - first + 1);
  }
  return std::max(1, threads);
}

std::vector<int> allowed_cores(int process) {
  cpu_set_t all;
  CPU_ZERO(&all);
  std::vector<int> cores;
  if (::sched_getaffinity(process, sizeof all, &all) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &all)) cores.push_back(core);
  }
  return cores;
}

void stay_on_cores(const std::vector<int>& cores) {
  cpu_set_t own;
  CPU_ZERO(&own);
  for (const int core : cores) CPU_SET(core, &own);
  (void)::sched_setaffinity(0, sizeof own, &own);
}

void take_part_of_cores(int part, int parts) {
  const std::vector<int> cores = allowed_cores();
  if (parts < 2 || cores.empty()) return;
  const auto count = static_cast<int>(cores.size());
  std::vector<int> own;
  for (int i = 0; i < count; ++i) {
    if (count >= parts ? i % parts == part - 1 : i == (part - 1) % count)
      own.push_back(cores[static_cast<std::size_t>(i)]);
  }
  stay_on_cores(own);
}

std::uint64_t usable_memory() {
  const auto all = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                   static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t limit = group_limits().memory;
  return limit > 0 ? std::min(all, limit) : all;
}

int count_gpus(const Path& devices) {
  int count = 0;
  std::error_code trouble;
  for (std::filesystem::directory_iterator at(devices, trouble), end; !trouble && at != end;
       at.increment(trouble)) {
    if (is_gpu(at->path().filename().native()) && ::access(at->path().c_str(), R_OK | W_OK) == 0)
      ++count;
  }
  return count;
}

std::vector<std::string> gpu_names(const Path& devices) {
  std::vector<std::string> names;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) {
    for (int i = count_gpus(devices); i > 0; --i) names.push_back(std::to_string(names.size()));
    return names;
  }
  std::string name;
  for (const char* c = visible;; ++c) {
    if (*c != ',' && *c != '\0') {
      name += *c;
      continue;
    }
    // As CUDA reads it: what follows a device that is none does not count.
    if (name.empty() || name.starts_with('-')) return names;
    names.push_back(std::exchange(name, {}));
    if (*c == '\0') return names;
  }
}

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

std::string cpu_name() {
  constexpr std::string_view kBefore = ": \t";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t at = line.find_first_not_of(kBefore, line.find(':'));
    if (at != line.npos) return line.substr(at);
  }
  utsname system{};
  return ::uname(&system) == 0 ? system.machine : "";
}

}  // namespace base
