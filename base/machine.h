// The machine as far as this process may use it: cores, memory, GPUs, names. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"

namespace base {

/// Cores that this process can keep busy: those that it may run on (sched_setaffinity), or the
/// share of time that its control groups give it, rounded up, when that is less. At least 1.
[[nodiscard]] int usable_cores();

/// Hardware threads of a core, as the system lists them for the first one: 1 without
/// hyper-threading, and where it lists none.
[[nodiscard]] int threads_of_a_core(const Path& processors = "/sys/devices/system/cpu");

/// The numbers of the cores that a process may run on, this one by default; empty where the system
/// does not say.
[[nodiscard]] std::vector<int> allowed_cores(int process = 0);
/// Leaves this process those of its cores. Before other threads run.
void stay_on_cores(const std::vector<int>& cores);

/// Leaves this process the `part`-th (from 1) of so many parts of the cores that it may use; where
/// there are fewer cores than parts, some parts share one. Before other threads run.
void take_part_of_cores(int part, int parts);

/// Bytes of memory, or the limit of its control groups when that is less.
[[nodiscard]] std::uint64_t usable_memory();

/// What the control groups of a process and those above them allow it, of version 1 or 2; 0: no
/// limit. `groups` is the list of them that the system keeps, `mounted` where they lie.
struct GroupLimits {
  double cores = 0;
  std::uint64_t memory = 0;
};
[[nodiscard]] GroupLimits group_limits(const Path& groups = "/proc/self/cgroup",
                                       const Path& mounted = "/sys/fs/cgroup");

/// GPUs that this process may open, by their files: a container sees any of /dev/nvidia0, 1...
/// Where Windows has them (/dev/dxg), 1.
[[nodiscard]] int count_gpus(const Path& devices = "/dev");

/// The GPUs that this process may use, by the names that CUDA_VISIBLE_DEVICES gives them: its own
/// where it is set, else "0" and so on.
[[nodiscard]] std::vector<std::string> gpu_names(const Path& devices = "/dev");

[[nodiscard]] std::string host_name();

/// The model of the processor, or the architecture where the system names no model.
[[nodiscard]] std::string cpu_name();

}  // namespace base
