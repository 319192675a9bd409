#pragma once
// What a driver and the supervisor of a program say to each other, over a socket that keeps
// messages whole. Both are from one build, so the structs travel as they lie in memory.

#include <cstdint>

#include "base/process/end.h"

namespace tasks {

/// What a supervisor has open, by number: its log and its socket to the driver.
inline constexpr int kSupervisorLog = 1;
inline constexpr int kSupervisorSocket = 3;

/// What a program prints into.
enum class ProgramOutput : std::uint8_t {
  pipe,      ///< as it is
  lines,     ///< a pipe; a program of C or Python writes each line at once
  terminal,  ///< a terminal of its own
};

/// The driver's first message. Times in nanoseconds, sizes in bytes; 0: no limit.
struct SupervisorOrder {
  std::int64_t time = 0;        ///< of the program
  std::int64_t stall = 0;       ///< without any output or report
  std::int64_t grace = 0;       ///< between SIGTERM and SIGKILL
  std::int64_t silence = 0;     ///< of the driver, which counts as gone then
  std::uint64_t log_bytes = 0;  ///< of output that is kept
  std::uint64_t memory = 0;     ///< resident, of all its processes together
  ProgramOutput output = ProgramOutput::pipe;
};

/// The driver's later messages; what the socket's end says is to kill at once. `beat`: it lives.
enum class DriverWord : std::uint8_t { stop, beat };

/// A supervisor's message: there is more to read, or all is over.
struct SupervisorNews {
  bool over = false;
  base::ProcessEnd end = base::ProcessEnd::exited;
  std::int32_t status = 0;
  std::int64_t took = 0;       ///< nanoseconds from start to end
  std::uint64_t left_out = 0;  ///< bytes of output that the log does not hold
  bool job_signal = false;     ///< the supervisor itself got SIGTERM or SIGINT
  /// Bytes that the largest of its processes had resident at once; 0: unknown.
  std::uint64_t memory = 0;
};

}  // namespace tasks
