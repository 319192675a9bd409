#pragma once
// What a driver and the supervisor of a program say to each other, over a socket that keeps
// messages whole. Both are from one build, so the structs travel as they lie in memory.

#include <cstdint>

namespace tasks {

/// What a supervisor has open, by number: its log and its socket to the driver.
inline constexpr int kSupervisorLog = 1;
inline constexpr int kSupervisorSocket = 3;

/// The driver's first message. Times in nanoseconds, sizes in bytes; 0: no limit.
struct SupervisorOrder {
  std::int64_t time = 0;        ///< of the program
  std::int64_t stall = 0;       ///< without any output or report
  std::int64_t grace = 0;       ///< between SIGTERM and SIGKILL
  std::uint64_t log_bytes = 0;  ///< of output that is kept
  std::uint64_t memory = 0;     ///< resident, of all its processes together
};

/// The driver's later messages; what the socket's end says is to kill at once.
enum class DriverWord : std::uint8_t { stop };

/// Why a program ended.
enum class RunEnd : std::uint8_t {
  exited,         ///< by itself; `status` is its exit status
  killed,         ///< by a signal that its supervisor did not send; `status` is its number
  timed_out,      ///< it ran longer than it may
  stalled,        ///< it neither printed nor reported for longer than it may
  out_of_memory,  ///< it took more memory than it may
  stopped,        ///< on request
  refused,        ///< it could not be started; `status` is the errno
  lost,           ///< its supervisor is gone
};

/// A supervisor's message: there is more to read, or all is over.
struct SupervisorNews {
  bool over = false;
  RunEnd end = RunEnd::exited;
  std::int32_t status = 0;
  std::int64_t took = 0;       ///< nanoseconds from start to end
  std::uint64_t left_out = 0;  ///< bytes of output that the log does not hold
  bool job_signal = false;     ///< the supervisor itself got SIGTERM or SIGINT
};

}  // namespace tasks
