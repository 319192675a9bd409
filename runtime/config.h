// What a Runtime is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/file.h"
#include "runtime/gpu_failure.h"
#include "runtime/resources.h"
#include "runtime/store.h"

namespace rt::inline v0 {

/// Who runs the tasks. Results are the same bits with each of them (on the same kind of device).
enum class Executor : std::uint8_t {
  automatic,    ///< starpu_cuda where a driver and a device are, else starpu_cpu, else sequential
  sequential,   ///< the driver thread itself, in a fixed order: for debugging and tests
  starpu_cpu,   ///< StarPU's CPU workers
  starpu_cuda,  ///< StarPU with CPU and CUDA workers
  simulated,    ///< StarPU on a machine that SimGrid simulates, in simulated time
};

struct Simulation;
struct NodesConfig;

/// The executor's name as above.
[[nodiscard]] const char* executor_name(Executor executor) noexcept;

struct Config {
  /// CPU workers; 0: one for each core that this process may use. The sequential executor has one.
  int workers = 0;
  Executor executor = Executor::automatic;
  /// GPUs used; -1: all that there are.
  int gpus = -1;
  /// CUDA workers of each, a thread and a stream apiece: so many tasks compute there side by side,
  /// as far as there are cores for them, and half of the GPU's free memory holds their gpu_reserve.
  /// A user's STARPU_NWORKER_PER_CUDA goes before it.
  int workers_per_gpu = 1;
  /// Of Executor::simulated: the machine, and what ran on it. `workers` and `gpus` come from there.
  std::shared_ptr<Simulation> simulation = {};
  /// CUDA workers of the sequential executor: it runs `.cuda` bodies on the program's own memory,
  /// without a stream, so that whatever uses GPUs can be tested where there is none.
  int pretended_gpus = 0;
  /// What one of them holds; 0: whatever the machine has.
  ByteCount pretended_memory{};
  /// Of each GPU, what bodies of one worker take beside their arguments and scratch, for as long as
  /// the runtime lives: workspaces of libraries. It is kept free for them.
  ByteCount gpu_reserve{};
  /// Called on the thread that meets it when a GPU serves the program no more, before anything
  /// counts as failed. A program that goes on without the GPU replaces itself there. If it returns,
  /// a task that met the fault fails (no_device), while a fault that StarPU met ends the process
  /// with that exit code.
  OnGpuFailure gpu_failed = nullptr;
  /// Answers pure tasks and keeps their results; null: nothing is kept beyond the values' own
  /// lives.
  std::shared_ptr<Store> store = {};
  /// Whether a result that took `seconds` to compute is worth `bytes` in the store (tasks with
  /// Keep::worth). Null: small results always, others when reading them back at 500 MB/s is
  /// quicker.
  bool (*worth_keeping)(double seconds, std::size_t bytes) = nullptr;
  /// Limit for the sum of Resources::memory of the tasks that are let in; 0: the machine's memory
  /// (or its cgroup's limit).
  ByteCount memory{};

  /// Whether calls that may run as one do (Task::packs). Never shows in a result.
  bool packs = true;

  /// Where to write what was called as a graph (DOT), and what ran when (Chrome/Perfetto JSON;
  /// Paje), at the end of the Runtime. Empty: not recorded.
  base::Path graph_file = {};
  base::Path trace_file = {};
  base::Path paje_file = {};

  /// Where how long tasks take (their cost functions' unit) is kept from run to run, so that the
  /// longest one goes first from the beginning. Several programs may share the file. Empty: every
  /// run learns it anew.
  base::Path pace_file = {};
  /// What such times hold for: the machine, the build. Times of others in the file are left alone.
  std::string pace_machine = {};

  /// Lets other processes run pure tasks (runtime/nodes.h); null: this one is alone.
  std::shared_ptr<const NodesConfig> nodes = {};

  /// Calls collected before they are handed over even if nobody waits.
  std::size_t pending = 256;
  /// Calls handed over and not ended: more make the next call wait. Bounds memory.
  std::size_t in_flight = 1024;
  /// Seconds without anything to run after which the workers are put to sleep instead of spinning.
  double idle_seconds = 0.002;
};

}  // namespace rt::inline v0
