// Slurm: its own programs, as this machine has them, and the step that this process is a part of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process/program.h"

namespace rt::net {

/// Runs one of its programs without the variables of a job that this process may be a part of.
/// `timeout` in seconds. Throws base::Error (usage) where it is not in PATH.
[[nodiscard]] base::ProgramResult run_slurm(const std::string& program,
                                            std::vector<std::string> words, std::string input = {},
                                            double timeout = 10);

/// What it prints; nothing where it is not there, fails or takes longer than ten seconds.
[[nodiscard]] std::optional<std::string> ask_slurm(const std::string& program,
                                                   std::vector<std::string> words);

/// A task of a step that has several.
struct SlurmStep {
  std::string id;    ///< no other step has it, nor one of an earlier start of the same job
  int rank = 0;      ///< 0: the driver
  int tasks = 1;     ///< of the step
  std::string node;  ///< what the task's agent is called
  std::string peer;  ///< for rank 0, another machine of the step, or words where its name cannot
                     ///< be had; empty: there is none
  int part = 1;      ///< of the cores that this process may use, from 1: other tasks have the rest
  int parts = 1;
};

/// Cores that Slurm gave to each task of this process's step or job; 0 where it does not say.
[[nodiscard]] int slurm_cores();

/// The task that this process is, from the variables that Slurm sets; nothing where it is alone, as
/// a job's script is.
[[nodiscard]] std::optional<SlurmStep> slurm_step();

/// Whether this process is a task of a step that has several, and not its first one, which says
/// what all of them would say.
[[nodiscard]] bool is_later_task() noexcept;

/// Whether the time of the job that this process belongs to is over in a minute. Asks Slurm the
/// first time, and again when it seems to be: it may have been given more. False outside a job, and
/// in one without a limit.
[[nodiscard]] bool job_ends_soon();

}  // namespace rt::net
