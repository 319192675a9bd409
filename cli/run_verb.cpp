#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "cli/verb.h"
#include "runtime/net/step.h"

namespace cli {

namespace {

void print_overview() {
  std::string text = "usage: trellis VERB [arguments]\n\n";
  std::size_t width = 0;
  for (const VerbLine& line : verb_lines())
    width = line.hidden ? width : std::max(width, line.name.size() + line.arguments.size() + 1);
  for (const VerbLine& line : verb_lines()) {
    if (line.hidden) continue;
    std::string head = std::string(line.name) + " " + std::string(line.arguments);
    text +=
        "  " + head + std::string(width + 2 - head.size(), ' ') + std::string(line.summary) + "\n";
  }
  text +=
      "\nRUN is a study's name or its folder. `trellis VERB --help` tells more.\n"
      "Exit codes: 0 done, 1 nothing usable, 2 command line, 3 study file or data, 4 storage, 5 in "
      "use,\n6 no device for it, 75 stopped (run the same command again to continue). For scripts: "
      "docs/programs.md\n";
  std::fputs(text.c_str(), stdout);
}

int usage_error(const std::string& message) {
  std::fprintf(stderr, "trellis: %s\n", message.c_str());
  return kUsage;
}

int unknown_verb(const std::string& word) {
  std::vector<std::string> known;
  for (const VerbLine& line : verb_lines()) known.emplace_back(line.name);
  return usage_error("unknown verb '" + base::printable(word, 60) + "', see trellis --help" +
                     base::did_you_mean(word, known));
}

int guarded_run(const Verb& verb, int argc, char** argv) {
  bool parsed = false;
  try {
    Arguments arguments;
    verb.declare(arguments);
    if (arguments.parse({argv + 2, argv + argc}) == Arguments::Outcome::help) {
      std::fputs(arguments.help(verb.name, find_verb_line(verb.name)->summary).c_str(), stdout);
      return kDone;
    }
    parsed = true;
    return verb.run(arguments);
  } catch (const base::Error& error) {
    // All tasks of a step have the same words.
    if (!parsed && verb.name == "sweep" && rt::net::is_later_task())
      return base::exit_code(error.kind());
    std::fprintf(stderr, "trellis: %s\n", error.what());
    return base::exit_code(error.kind());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "trellis: internal error in \"%.*s\": %s\n", int(verb.name.size()),
                 verb.name.data(), error.what());
    return base::exit_code(base::Errc::internal);
  }
}

}  // namespace

std::string called_as() {
  const char* launcher = std::getenv("TRELLIS_CALLED_AS");
  return launcher && *launcher ? launcher : "trellis";
}

int run_verb(std::span<const Verb> verbs, int argc, char** argv, std::string_view commit) {
  std::string word = argc > 1 ? argv[1] : "--help";
  if (word == "--help" || word == "-h" || word == "help") {
    print_overview();
    return argc > 1 ? kDone : kUsage;
  }
  if (word == "--version") {
    const std::string from = commit.empty() ? "" : base::cat(" (", commit, ")");
    std::printf("trellis %s%s\n", TRELLIS_VERSION, from.c_str());
    return kDone;
  }
  auto found = std::ranges::find(verbs, word, &Verb::name);
  return found == verbs.end() ? unknown_verb(word) : guarded_run(*found, argc, argv);
}

}  // namespace cli
