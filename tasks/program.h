#pragma once
// Running a user's program under supervision: fed, listened to, stopped in time, and gone
// afterwards with all that it left in its process group. Knows no tasks and no networks.

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace tasks {

/// What is to run. Encodable plain aggregate.
struct Program {
  std::vector<std::string> command;                     ///< the program and its arguments
  std::string folder;                                   ///< where it runs, absolute
  std::map<std::string, std::string> environment = {};  ///< besides that of this process
  std::string input = {};                               ///< what it reads
  double timeout = 0;                                   ///< seconds; 0: none
  double grace = 2;               ///< seconds between asking it to end and killing it
  std::uint64_t most = 1U << 20;  ///< bytes that it may print
};

/// Why a program ended.
enum class ProgramEnd : std::uint8_t {
  exited,     ///< by itself; `status` is its exit status
  killed,     ///< by a signal that nobody here sent; `status` is its number
  timed_out,  ///< it took longer than it may
  flooded,    ///< it printed more than it may
  stopped,    ///< on request
};

/// What became of it. Encodable plain aggregate.
struct ProgramResult {
  ProgramEnd end = ProgramEnd::exited;
  std::int32_t status = 0;
  std::string output;  ///< all it printed, at most Program::most bytes
  std::string errors;  ///< the end of what it wrote to its error stream, at most kErrorBytes
};
inline constexpr std::size_t kErrorBytes = 4096;

/// Runs it and waits for its end. Whoever is too slow, prints too much or is no longer wanted gets
/// SIGTERM, and SIGKILL after its grace; so does, at the end, whatever else runs in its process
/// group. A program that does not read its input, closes its streams early or leaves children
/// behind that hold them holds nobody up. Throws base::Error (study) when it can't be started.
[[nodiscard]] ProgramResult run_program(const Program& program, const std::stop_token& stop = {});

/// "python3 decide.py": for messages.
[[nodiscard]] std::string title(const Program& program);

/// How it ended, as the end of a sentence: "exited with status 3", "took longer than 60 s".
[[nodiscard]] std::string end_text(const Program& program, const ProgramResult& result);

}  // namespace tasks
