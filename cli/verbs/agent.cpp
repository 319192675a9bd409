#include <chrono>
#include <cstdio>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "cli/held_isa.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/nodes/agent.h"
#include "hpo/study/spec.h"
#include "hpo/study/words.h"

namespace cli {

namespace {

constexpr const char* kIsa = "--isa";

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

/// Of a driver whose folder may not be here; else the study in the folder says it.
hpo::study::Isa isa_of(const Arguments& arguments) {
  const std::string word = arguments.text(kIsa);
  const auto isa = hpo::study::from_word<hpo::study::Isa>(word);
  if (!isa)
    throw base::Error(base::Errc::usage, base::cat(kIsa, ": '", base::printable(word, 60),
                                                   "', expected avx2 or avx512"));
  return *isa;
}

hpo::study::Isa run_isa(const hpo::StudyReader& run) {
  return hpo::parse_study(run.resolved(), "study.yaml", "/", {.data_elsewhere = true})
      .resources.isa;
}

}  // namespace

void declare_agent(Arguments& arguments) {
  declare_run(arguments);
  arguments.option("--node", "NAME", "what this agent is called (default: the machine's name)");
  arguments.option("--workers", "N", "CPU workers (default: one per core)");
  arguments.option("--executor", "E", "automatic, sequential, cpu or cuda (default: automatic)");
  arguments.option("--orphan", "SECONDS", "how long it waits for a driver (default: 120)");
  arguments.flag("--orders", "the driver says on standard input what this agent needs");
  arguments.option("--part", "I/N", "the I-th of N parts of the cores (default: all of them)");
  arguments.option(kIsa, "SET",
                   "instruction set of the study, avx2 or avx512 (default: the study's)");
}

int run_agent(const Arguments& arguments) {
  hpo::AgentOptions options;
  options.orders = arguments.has("--orders");
  if (options.orders) {
    options.folder = arguments.text("RUN");
    hold_to_isa(isa_of(arguments));
  } else {
    const hpo::StudyReader run = open_run(arguments);
    options.folder = run.folder();
    hold_to_isa(arguments.has(kIsa) ? isa_of(arguments) : run_isa(run));
  }
  options.workers = workers_option(arguments);
  if (arguments.has("--executor")) options.engine = engine_option(arguments);
  if (arguments.has("--node")) options.node = arguments.text("--node");
  if (const auto seconds = arguments.integer("--orphan", 1, 1'000'000))
    options.orphan = std::chrono::seconds(*seconds);
  if (arguments.has("--part")) read_part(arguments.text("--part"), options);
  return hpo::run_agent(options);
}

}  // namespace cli
