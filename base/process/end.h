// How a process ended.
#pragma once

#include <sys/wait.h>

#include <cstdint>

namespace base {

/// Why a process ended.
enum class ProcessEnd : std::uint8_t {
  exited,         ///< by itself; `status` is its exit status
  killed,         ///< by a signal that its supervisor did not send; `status` is its number
  timed_out,      ///< it ran longer than it may
  stalled,        ///< it neither printed nor reported for longer than it may
  flooded,        ///< it printed more than it may
  out_of_memory,  ///< it took more memory than it may
  stopped,        ///< on request
  refused,        ///< it could not be started; `status` is the errno
  lost,           ///< its supervisor is gone
};

struct ProcessOutcome {
  ProcessEnd end = ProcessEnd::exited;
  std::int32_t status = 0;
};

/// The outcome of a process that nobody asked to end, from the status that wait() gives.
[[nodiscard]] inline ProcessOutcome outcome_of(int wait_status) noexcept {
  if (WIFSIGNALED(wait_status)) return {ProcessEnd::killed, WTERMSIG(wait_status)};
  return {ProcessEnd::exited, WEXITSTATUS(wait_status)};
}

}  // namespace base
