// Starting a program with words, environment and streams. Thread-safe as long as nobody changes the
// environment of this process.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/process/launch.h"

namespace base {

/// A program to start.
struct ProcessStart {
  std::string path;                      ///< the executable
  std::vector<std::string> words;        ///< the first is its name
  std::vector<std::string> environment;  ///< the whole of it: NAME=value
  std::string folder = {};               ///< where it runs; empty: where this process does
  int death_signal = SIGKILL;            ///< what it gets when the calling thread ends; 0: nothing
  Group group = Group::own;
  Signals signals = Signals::usual;
};

/// The system does not start a program, whenever it is asked. Of kind study.
class StartFailure : public Error {
 public:
  /// "cannot DOING: REASON"; `code` is an errno value.
  StartFailure(const std::string& doing, int code);
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// Starts a process that has `files` open as 0, 1, 2... and nothing else. Throws StartFailure,
/// NoMore.
[[nodiscard]] pid_t start_process(ProcessStart what, std::span<const int> files);

/// The streams of a new process that are pipes; the others are those of this process.
struct Pipes {
  bool input = false, output = false, errors = false;
};

/// A process that runs, and our ends of its pipes, none of which block. Whoever has it waits for
/// it.
struct Spawned {
  pid_t process = -1;
  File input, output, errors;
};

/// Starts a process that has three streams open and nothing else. Throws StartFailure, NoMore.
[[nodiscard]] Spawned spawn(ProcessStart what, const Pipes& pipes);

/// Words as system calls take them, null at the end; valid while `words` is as it is.
[[nodiscard]] std::vector<char*> pointers(std::vector<std::string>& words);

/// This process's environment with `more` in place of what it says.
[[nodiscard]] std::vector<std::string> environment_with(
    const std::map<std::string, std::string>& more);

}  // namespace base
