// The system calls that turn words into a process. Includes nothing of the project, so that the
// supervisor, a program of a few system calls, can use it too.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <span>

namespace base {

/// The process group of a new process.
enum class Group : std::uint8_t {
  own,   ///< it leads a new one
  ours,  ///< that of this process: both get what a terminal sends
};

/// How a new process takes signals at first.
enum class Signals : std::uint8_t {
  usual,  ///< all are at their defaults, and none is blocked
  ours,   ///< those that the calling thread ignores or blocks are ignored or blocked
};

/// A program to run. Everything outlives the call; lists of words end with a null pointer.
struct Launch {
  const char* path = nullptr;          ///< the executable
  char* const* words = nullptr;        ///< the first is its name
  char* const* environment = nullptr;  ///< the whole of it
  const char* folder = nullptr;        ///< where it runs; null: where this process does
  std::span<const int> files;          ///< what it has open as 0, 1, 2...; nothing else is
  const rlimit* open_files = nullptr;  ///< how many it may open; null: as many as this process
  int death_signal = SIGKILL;          ///< what it gets when the calling thread ends; 0: nothing
  Group group = Group::own;
  Signals signals = Signals::usual;
};

/// Starts a process and returns its number; -1 when it could not be started, with the reason in
/// `errno`.
[[nodiscard]] pid_t launch(const Launch& what);

}  // namespace base
