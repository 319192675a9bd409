#pragma once
// The system calls that turn words into a process. Knows nothing of the project, so that the
// supervisor, a program of a few system calls, can use it too.

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <span>

namespace tasks {

/// What is to run. Everything outlives the call; lists of words end with a null pointer.
struct Launch {
  const char* path = nullptr;          ///< the executable
  char* const* words = nullptr;        ///< the first is its name
  char* const* environment = nullptr;  ///< the whole of it
  const char* folder = nullptr;        ///< where it runs; null: where this process does
  std::span<const int> files;          ///< what it has open as 0, 1, 2...; nothing else is
  int death_signal = SIGKILL;          ///< what it gets when the calling thread ends
  const rlimit* open_files = nullptr;  ///< how many it may open; null: as many as this process
};

/// The process, which leads a process group of its own and has all signals at their defaults; -1
/// when it could not be started, with the reason in `errno`.
[[nodiscard]] pid_t launch(const Launch& what);

}  // namespace tasks
