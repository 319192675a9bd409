#pragma once
// Slurm's own programs, as this machine has them.

#include <string>
#include <vector>

#include "base/process/program.h"

namespace hpo {

/// Runs one of them, which has ten seconds, without the variables of a job that this process may be
/// a part of. Throws base::Error (usage) where it is not in PATH.
[[nodiscard]] base::ProgramResult run_slurm(const std::string& program,
                                            std::vector<std::string> words, std::string input = {});

/// What it prints; empty where it is not there or fails.
[[nodiscard]] std::string ask_slurm(const std::string& program, std::vector<std::string> words);

}  // namespace hpo
