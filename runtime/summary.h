// What a runtime did with its time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/context.h"

namespace rt::inline v0 {

/// Why a worker had nothing to run. Of several causes the first of this list counts.
enum class IdleCause : std::uint8_t {
  late,        ///< a task for its kind was ready, and nobody had taken it yet
  needs,       ///< a task for its kind waited until memory or cores that it needs were given back
  other_kind,  ///< tasks were ready, all of them for another kind of device
  end,         ///< nothing more was to come for its kind
  driver,      ///< no task was under way: the driver alone worked, or waited
  slots,       ///< as many tasks were under way as the driver keeps going (Runtime::set_window)
  waits,       ///< tasks waited for other tasks
};
inline constexpr std::size_t kIdleCauses = 7;

/// "late", "other kind", ...
[[nodiscard]] const char* idle_cause_name(IdleCause cause) noexcept;

/// Seconds by cause.
using IdleTimes = std::array<double, kIdleCauses>;

/// Time of a worker by what it went into, in seconds.
struct WorkerTimes {
  double busy = 0;    ///< inside tasks, what they copy for themselves included
  double moving = 0;  ///< waiting for data of a task
  IdleTimes idle{};   ///< with nothing to run; `late` is what the runtime itself costs
};

/// What workers did over time: buckets of one width from the making of the Runtime on, whose width
/// doubles when there are too many.
struct UseSeries {
  static constexpr std::size_t kMostBuckets = 512;
  double width = 0;    ///< of a bucket, in seconds
  double seconds = 0;  ///< since the Runtime was made; what is left of the last bucket is to come
  std::vector<std::vector<WorkerTimes>> workers;  ///< as in Summary; [worker][bucket]
};

/// Busy, moving and waiting add up to the runtime's seconds, the parts of `idle` to waiting. What
/// runs at the moment counts.
struct WorkerSummary {
  WorkerId id;
  int gpu = -1;  ///< of a CUDA worker: the GPU that it computes on, from 0 on
  std::uint64_t tasks = 0;
  double busy = 0;     ///< seconds inside tasks
  double moving = 0;   ///< seconds waiting for data to be moved or copied for a task
  double waiting = 0;  ///< seconds with nothing to run, paused time included
  IdleTimes idle{};
};

/// An agent, of a driver that has some.
struct NodeSummary {
  std::string name;
  std::uint64_t tasks = 0;  ///< that it has answered
};

struct Summary {
  std::string executor;
  double seconds = 0;  ///< since the Runtime was made
  std::vector<WorkerSummary> workers;
  std::vector<NodeSummary> nodes;
  std::uint64_t tasks = 0;      ///< ended in whatever way, stored and merged ones not counted
  std::uint64_t failed = 0;     ///< whose last attempt failed
  std::uint64_t cancelled = 0;  ///< that never ran
  std::uint64_t retried = 0;    ///< attempts beyond the first
  std::uint64_t stored = 0;     ///< calls answered by the store
  std::uint64_t merged =
      0;  ///< calls answered by an equal one that runs or whose value is still there
  std::uint64_t copies = 0;  ///< inout arguments that had to be copied first
  std::uint64_t parts = 0;   ///< of tasks (Context::split) that other workers took over
  std::uint64_t packed = 0;  ///< calls that ran as part of another one's pack (Task::packs)
  /// The runtime's own time for each task: calls and hand-overs on the driver (the executor's
  /// submission included), and what workers do around bodies; both by samples.
  double overhead_us_per_task = 0;

  /// The same as a few lines of text.
  [[nodiscard]] std::string text() const;
};

}  // namespace rt::inline v0
