#pragma once
// A program in the foreground: with the terminal it was started from, and its output read beside.

#include <string>
#include <vector>

#include "base/process/end.h"
#include "hpo/study/command.h"

namespace hpo {

/// Runs it as a child in this process's group and returns how it ended. SIGTERM and SIGHUP to
/// this process are handed on to it; Ctrl-C, which the terminal sends to both, is for it alone. Its
/// three streams are this process's own, unless `log` is a file: what it prints then goes through
/// pipes, to the terminal and to the end of that file. One at a time. Throws base::Error: study
/// where it cannot be started, storage.
[[nodiscard]] base::ProcessOutcome run_in_foreground(const TrialCommand& command,
                                                     std::vector<std::string> environment, int log);

}  // namespace hpo
