#pragma once
// A study in a step of a Slurm job: `srun -N 8 --no-kill trellis sweep FILE`. Its first task is the
// driver, the others are agents.

#include <cstdint>
#include <optional>
#include <string>

#include "base/file.h"
#include "hpo/driver/nodes/agent.h"

namespace hpo {

/// A task of a step that has several.
struct SlurmStep {
  std::string id;    ///< no other step has it, nor one of an earlier start of the same job
  int rank = 0;      ///< 0: the driver
  std::string node;  ///< what the task's agent is called
  std::string peer;  ///< another machine of the step; empty: there is none
  int part = 1;      ///< of the cores that this process may use, from 1: other tasks have the rest
  int parts = 1;
};

/// The task that this process is; nothing where it is alone. From the variables that Slurm sets.
[[nodiscard]] std::optional<SlurmStep> slurm_step();

/// Whether the time of the Slurm job that this process belongs to is over in a minute. Asks Slurm,
/// once; false outside a job, and in one without a limit.
[[nodiscard]] bool job_ends_soon();

/// How the driver of a step fares, for its other tasks: a file in the study's `net/`.
class StepNews {
 public:
  StepNews(const base::Path& study, const SlurmStep& step);

  /// The driver takes agents in. Throws base::Error (storage).
  void begun() const;
  /// It has ended, with that exit code. Without effect where nothing can be written.
  void ended(int code) const noexcept;

  /// Nothing before it has begun; -1 while it runs; then its exit code.
  [[nodiscard]] std::optional<int> code() const;

 private:
  base::Path file_;
};

/// What a task does that is not the driver: it waits for that one and is an agent. Returns the exit
/// code of the driver, where it hears of it, so that Slurm's is the study's; 75 where there was no
/// driver for two minutes. Throws as run_agent().
[[nodiscard]] int work_in_step(const SlurmStep& step, AgentOptions options);

}  // namespace hpo
