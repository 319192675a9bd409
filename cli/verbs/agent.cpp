#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/nodes/agent.h"

namespace cli {

namespace {

[[noreturn]] void refuse_part(const std::string& text) {
  throw base::Error(base::Errc::usage, base::cat("--part: '", base::printable(text, 60),
                                                 "', expected one such as 1/2"));
}

/// "1/2": the first of two parts of the cores.
void read_part(const std::string& text, hpo::AgentOptions& options) {
  int part = 0;
  int parts = 0;
  char end = 0;
  if (std::sscanf(text.c_str(), "%d/%d%c", &part, &parts, &end) != 2 || part < 1 || parts < part ||
      parts > 4096)
    refuse_part(text);
  options.part = part;
  options.parts = parts;
}

}  // namespace

void declare_agent(Arguments& arguments) {
  declare_run(arguments);
  arguments.option("--node", "NAME", "what this agent is called (default: the machine's name)");
  arguments.option("--workers", "N", "CPU workers (default: one a core)");
  arguments.option("--executor", "E", "automatic, sequential, cpu or cuda (default: automatic)");
  arguments.flag("--orders", "the driver says on standard input what this agent needs");
  arguments.option("--part", "I/N", "the I-th of N parts of the cores (default: all of them)");
}

int run_agent(const Arguments& arguments) {
  hpo::AgentOptions options;
  options.orders = arguments.has("--orders");
  options.folder =
      options.orders ? base::Path(arguments.text("RUN")) : open_run(arguments).folder();
  options.workers = workers_option(arguments);
  if (arguments.has("--executor")) options.engine = engine_option(arguments);
  if (arguments.has("--node")) options.node = arguments.text("--node");
  if (arguments.has("--part")) read_part(arguments.text("--part"), options);
  return hpo::run_agent(options);
}

}  // namespace cli
