// Several processes that a scheduler started with one command: `srun` of Slurm, `mpirun` of Open
// MPI. Each finds out from its environment which of them it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace rt::net {

/// A task of a step that has several.
struct Step {
  std::string id;    ///< no other step has it, nor one of an earlier start of the same job
  int rank = 0;      ///< 0: the driver
  int tasks = 1;     ///< of the step
  std::string node;  ///< what the task's agent is called
  std::string peer;  ///< for rank 0, another machine of the step, or words where its name cannot
                     ///< be had; empty: there is none
  int part = 1;      ///< of the cores that this process may use, from 1: other tasks have the rest
  int parts = 1;
  int cores = 0;  ///< for its agent to claim, where some tasks share the cores that they are bound
                  ///< to; 0: its part
};

/// The task that this process is; nothing where it is alone.
[[nodiscard]] std::optional<Step> current_step();

/// The task of an `mpirun`, by the variables that Open MPI sets. No MPI library is loaded: without
/// one, Open MPI takes the process for a program that does not use MPI, and starts and ends it.
[[nodiscard]] std::optional<Step> mpi_step();

/// The cores of whoever started the tasks of an `mpirun` on this machine: the nearest process above
/// this one that is none of them. Nothing where that one is in another PID namespace, as outside of
/// a container, or cannot be seen.
[[nodiscard]] std::optional<std::size_t> cores_of_launcher();

/// Whether this process is a task of a step that has several, and not its first one, which says
/// what all of them would say.
[[nodiscard]] bool is_later_task() noexcept;

/// The number in an environment variable.
[[nodiscard]] std::optional<int> variable_number(const char* name);

/// Whether the scheduler gave this process cores of its own.
[[nodiscard]] bool is_bound();

}  // namespace rt::net
