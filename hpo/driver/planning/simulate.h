#pragma once
// A study on a machine that is not there: the real driver, graph, sampler and rules; only what
// tasks compute is made up (tasks/simulated.h), and time is SimGrid's.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpo/log/worker_info.h"
#include "hpo/study/spec.h"
#include "runtime/place/simulation.h"

namespace hpo {

/// A way to place tasks.
struct Scheme {
  std::string_view name;
  std::string_view policy;  ///< of StarPU
  bool any_kind;            ///< the policy chooses the kind of device, too
  /// By the rule, or all on one kind; `born`: by the rule at a network's birth, wherever it grows.
  enum class Kinds : std::uint8_t { rule, born, cores, gpus } kinds;
  std::string_view doc;
};

/// All of them, ours first.
[[nodiscard]] std::span<const Scheme> schemes();
/// Throws base::Error (usage) naming the nearest known one.
[[nodiscard]] const Scheme& find_scheme(std::string_view name);

/// Encodable.
struct SimulationReport {
  std::string scheduler;
  double seconds = 0;  ///< from the first task to the end of the last
  std::int64_t trials = 0, tasks = 0;
  double gpu_from = 0;              ///< the threshold between the kinds; infinity: cores only
  std::int64_t moved = 0;           ///< trials' tasks that ran on another kind than meant
  std::uint64_t most_memory = 0;    ///< bytes that tasks held at once on one GPU
  std::vector<WorkerInfo> devices;  ///< their times add up to `seconds`
};

/// Why a study can't be simulated under a scheme, in words: no core trains in its precision; else
/// empty.
[[nodiscard]] std::string refuses(const Scheme& scheme, const StudySpec& study);

/// Runs the study under one scheme, in this process, where nothing of StarPU may have run before.
/// `record`, where given, receives every run of a task, those that took no time included. Throws
/// base::Error: no_device where StarPU's SimGrid flavour is missing or the study can't run there,
/// study and data as a sweep does.
[[nodiscard]] SimulationReport simulate(const StudySpec& study, const rt::Platform& platform,
                                        const Scheme& scheme,
                                        std::vector<rt::SimulatedRun>* record = nullptr);

/// The same in a process of its own, so that several can follow each other. One that does not end
/// within `seconds` of real time (0: however long it takes) is killed: base::Error (internal).
[[nodiscard]] SimulationReport simulate_apart(const StudySpec& study, const rt::Platform& platform,
                                              const Scheme& scheme, unsigned seconds = 0);

}  // namespace hpo
