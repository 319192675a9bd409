// The thin program: read verbs, and the door to the programs that carry the others.

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/executable.h"
#include "cli/commit.h"
#include "cli/standard_streams.h"
#include "cli/verb.h"
#include "cli/verbs.h"

namespace {

const char* file_of(cli::Program program) {
  switch (program) {
    case cli::Program::bench:
      return "trellis-bench";
    case cli::Program::serve:
      return "trellis-serve";
    default:
      return "trellis-engine";
  }
}

/// OpenBLAS makes its threads when it is loaded: told here to make none, because ours call it from
/// the workers. A value of the user's stays; the engine knows ours by its zero and takes it back,
/// so that programs which it starts never see it.
int exec_other(cli::Program program, char** argv) {
  ::setenv("GOTO_NUM_THREADS", "01", 0);
  const base::Path other = base::beside_this_program(file_of(program));
  ::execv(other.c_str(), argv);
  std::fprintf(stderr, "trellis: cannot start %s: %s; build it with ./trellis%s\n", other.c_str(),
               base::errno_words(errno).c_str(), program == cli::Program::bench ? " bench" : "");
  return 6;
}

/// A network is written by the program that has the arithmetic; what other tools open, and what
/// matters, by the one that knows study files. Everything else that `export` gives is read from the
/// log.
bool exports_by_engine(std::span<char* const> words) {
  if (words.size() < 2 || std::string_view(words[1]) != "export") return false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string_view word(words[i]);
    std::string_view format;
    if (word == "--importance") return true;
    if (word.starts_with("--format=")) format = word.substr(word.find('=') + 1);
    if (word == "--format" && i + 1 < words.size()) format = words[i + 1];
    for (const std::string_view other : {"mlflow", "onnx", "optuna", "tensorboard"})
      if (format == other) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  cli::open_standard_streams();
  if (argc > 1 && std::string_view(argv[1]) == "test") {
    const bool help = argc > 2 && std::string_view(argv[2]) == "--help";
    std::fputs("trellis: tests are run from the source folder: ./trellis test\n",
               help ? stdout : stderr);
    return help ? cli::kDone : cli::kUsage;
  }
  std::array<char*, 4> asks{};
  if (argc == 3 && std::string_view(argv[1]) == "help") {
    static char help[] = "--help";
    asks = {argv[0], argv[2], help};
    argv = asks.data();
  }
  const cli::VerbLine* line = argc > 1 ? cli::find_verb_line(argv[1]) : nullptr;
  if (exports_by_engine({argv, argv + argc})) return exec_other(cli::Program::engine, argv);
  if (line && line->program != cli::Program::reader) return exec_other(line->program, argv);
  return cli::run_verb(cli::read_verbs(), argc, argv, cli::commit());
}
