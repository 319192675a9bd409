// Running a user's program under supervision: fed, listened to, stopped in time, and gone
// afterwards with all that it left in its process group. Thread-safe as long as nobody changes the
// environment of this process.
#pragma once

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process/end.h"

namespace base {

/// A program to run. Encodable plain aggregate.
struct Program {
  std::vector<std::string> command;                     ///< the program and its arguments
  std::string folder;                                   ///< where it runs, absolute
  std::map<std::string, std::string> environment = {};  ///< besides that of this process
  std::string input = {};                               ///< what it reads
  double timeout = 0;                                   ///< seconds; 0: none
  double grace = 2;               ///< seconds between asking it to end and killing it
  std::uint64_t most = 1U << 20;  ///< bytes that it may print
};

/// What became of it. Encodable plain aggregate.
struct ProgramResult {
  ProcessEnd end = ProcessEnd::exited;
  std::int32_t status = 0;
  std::string output;  ///< all it printed, at most Program::most bytes
  std::string errors;  ///< the end of what it wrote to its error stream, at most kErrorBytes
};
inline constexpr std::size_t kErrorBytes = 4096;

/// Runs a program and waits for its end: exited, killed, timed_out, flooded or, on request,
/// stopped. A program that takes too long, prints too much or is no longer wanted gets SIGTERM, and
/// SIGKILL after its grace; so does, at the end, what else runs in its process group. A program
/// that does not read its input, closes its streams early or leaves children behind that hold them
/// holds nobody up. Throws base::Error (study) when it can't be started, NoMore.
[[nodiscard]] ProgramResult run_program(const Program& program, const std::stop_token& stop = {});

/// "python3 decide.py": for messages.
[[nodiscard]] std::string title(const Program& program);

/// How it ended, as the end of a sentence: "exited with status 3", "took longer than 60 s".
[[nodiscard]] std::string end_text(const Program& program, const ProgramResult& result);

}  // namespace base
