#pragma once
// Starting a program: the system calls, and nothing about what it is for.

#include <sys/types.h>

#include <csignal>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/file.h"

namespace tasks {

/// The system has no process, file or memory left, for now.
class NoMore : public base::Error {
 public:
  /// "cannot WHAT: REASON: what to do about it"; `code` is an errno value.
  NoMore(std::string_view what, int code);
  /// Whether that is what an errno value says.
  [[nodiscard]] static bool says(int code);
};

/// From now on this process may open as many files as the system lets it; the processes that it
/// starts, as many as it could before.
void raise_file_limit();

/// Throws NoMore where this process cannot open so many files more.
void require_files(int count);

/// What start_process() starts.
struct StartedProcess {
  std::string path;                      ///< the executable
  std::vector<std::string> words;        ///< the first is its name
  std::vector<std::string> environment;  ///< the whole of it: NAME=value
  std::string folder;                    ///< where it runs
  std::span<const int> files;            ///< what it has open as 0, 1, 2...; nothing else is
  int death_signal = SIGKILL;            ///< what it gets when the calling thread ends
};

/// The process, which leads a process group of its own. Throws base::Error (study) when it can't be
/// started, NoMore.
[[nodiscard]] pid_t start_process(StartedProcess what);

/// Words as system calls take them, null at the end; valid while `words` is as it is.
[[nodiscard]] std::vector<char*> pointers(std::vector<std::string>& words);

/// This process's environment with `more` in place of what it says.
[[nodiscard]] std::vector<std::string> environment_with(
    const std::map<std::string, std::string>& more);

/// A program that runs: our ends of its three streams, none of which block, and its process, which
/// leads a process group of its own. Whoever has it waits for it.
struct Spawned {
  pid_t process = -1;
  base::File input, output, errors;
};

/// Runs the executable at `path` with these words (the first is its name) in `folder`, with
/// `environment` besides this process's. It inherits no other file, has all signals at their
/// defaults, and is killed when the calling thread ends. Throws base::Error (study) when the
/// program can't be started, NoMore.
[[nodiscard]] Spawned spawn(const std::string& path, const std::vector<std::string>& words,
                            const std::string& folder,
                            const std::map<std::string, std::string>& environment);

}  // namespace tasks
