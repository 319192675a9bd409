// Slurm: its own programs, as this machine has them, and its step that this process is a part of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/process/program.h"
#include "runtime/net/step.h"

namespace rt::net {

/// Runs one of its programs without the variables of a job that this process may be a part of.
/// `timeout` in seconds. Throws base::Error (usage) where it is not in PATH.
[[nodiscard]] base::ProgramResult run_slurm(const std::string& program,
                                            std::vector<std::string> words, std::string input = {},
                                            double timeout = 10);

/// What it prints; nothing where it is not there, fails or takes longer than ten seconds.
[[nodiscard]] std::optional<std::string> ask_slurm(const std::string& program,
                                                   std::vector<std::string> words);

/// Cores that Slurm gave to each task of this process's step or job; 0 where it does not say.
[[nodiscard]] int slurm_cores();

/// The task that this process is, from the variables that Slurm sets; nothing where it is alone, as
/// a job's script is.
[[nodiscard]] std::optional<Step> slurm_step();

/// Whether the time of the job that this process belongs to is over in a minute. Asks Slurm the
/// first time, and again when it seems to be: it may have been given more. False outside a job, and
/// in one without a limit.
[[nodiscard]] bool job_ends_soon();

}  // namespace rt::net
