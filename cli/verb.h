#pragma once
// A verb of the command line: what it is called, what it takes, what it does.
// One file a verb in cli/verbs/, one line in the table of the program that carries it
// (read_verbs.cpp, engine_verbs.cpp).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "cli/arguments.h"

namespace cli {

/// Exit codes of every verb (docs/programs.md); errors carry theirs through base::exit_code().
enum ExitCode : int { kDone = 0, kNothingUsable = 1, kUsage = 2 };

struct Verb {
  std::string_view name;
  void (*declare)(Arguments&);   ///< names the arguments; called before parsing and for --help
  int (*run)(const Arguments&);  ///< returns the exit code; throws base::Error
};

/// The programs that carry verbs: `trellis` reads what studies left, `trellis-engine` runs tasks,
/// `trellis-bench` measures, `trellis-serve` shows studies in a browser.
enum class Program : std::uint8_t { reader, engine, bench, serve };

/// One line of `trellis --help`. The table names every verb, whichever program carries it.
struct VerbLine {
  std::string_view name, arguments, summary;
  Program program;      ///< which program carries it
  bool hidden = false;  ///< for programs: not in `trellis --help`
};

[[nodiscard]] std::span<const VerbLine> verb_lines();
/// The line of a verb; null when there is none.
[[nodiscard]] const VerbLine* find_verb_line(std::string_view name);

/// How the user called this program, for commands in messages: what the launcher was called as, or
/// "trellis".
[[nodiscard]] std::string called_as();

/// Parses `argv[1..]` for one of `verbs` and runs it. Prints help, usage errors and base::Error
/// messages (stderr), and returns the exit code. `commit`: what the program was built from, for
/// --version; empty where nobody knows.
int run_verb(std::span<const Verb> verbs, int argc, char** argv, std::string_view commit = {});

}  // namespace cli
