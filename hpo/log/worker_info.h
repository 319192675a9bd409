#pragma once
// What the workers of a session did, as the log keeps it and other programs read it.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace base {
class JsonWriter;
}

namespace hpo {

/// Under this name the log notes them.
inline constexpr const char* kWorkersFact = "workers";

/// A worker of a session, or of a simulated machine. Times in seconds. Encodable.
struct WorkerInfo {
  std::string name;       ///< "cpu 0", "cuda 0"
  std::int64_t gpu = -1;  ///< the GPU that a "cuda" one computes on; -1: a core, or an older log
  std::int64_t tasks = 0;
  double busy = 0;     ///< inside tasks
  double waiting = 0;  ///< with nothing to run
  double moving = 0;   ///< data came for a task
  /// Why it waited (the names of rt::IdleCause, in its order); empty in a log of an
  /// older build.
  std::vector<std::pair<std::string, double>> idle;
};

/// The fields of its times by cause: "other kind" is `idle_other_kind`.
void put_idle(base::JsonWriter& json, const WorkerInfo& worker);

/// A list of {"name", "gpu" (of a "cuda" one), "tasks", "busy", "waiting", "moving", "idle_late",
/// ...}.
[[nodiscard]] std::string workers_json(std::span<const WorkerInfo> workers);
/// The inverse.
[[nodiscard]] std::vector<WorkerInfo> workers_from_json(const std::string& text);

}  // namespace hpo
