#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>

#include "cli/verbs/verb_functions.h"
#include "hpo/samplers/registry.h"
#include "hpo/solver/session.h"
#include "hpo/stopping/registry.h"

namespace cli {

namespace {

bool is_known(std::span<const hpo::KindInfo> kinds, std::string_view name) {
  return std::ranges::find(kinds, name, &hpo::KindInfo::name) != kinds.end();
}

/// Where the registries have no kind of that name, `auto` is what a study file gets that says
/// nothing.
hpo::SolverMethod method_of(const Arguments& arguments) {
  hpo::SolverMethod method;
  if (arguments.has("--method")) method.sampler = arguments.text("--method");
  if (arguments.has("--early-stop")) method.rule = arguments.text("--early-stop");
  if (method.sampler == "auto" && !is_known(hpo::sampler_kinds(), "auto")) method.sampler = "tpe";
  if (method.rule == "auto" && !is_known(hpo::stopping_kinds(), "auto")) method.rule = "asha";
  return method;
}

void print_line(const std::string& line) {
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace

void declare_solver(Arguments& arguments) {
  arguments.option("--method", "NAME", "what proposes, as in a study file (default: tpe)");
  arguments.option("--early-stop", "RULE",
                   "what stops trials between steps, as in a study file, or auto (default: none)");
}

int run_solver(const Arguments& arguments) {
  hpo::SolverSession session(method_of(arguments));
  print_line(session.greeting());
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    if (const auto answer = session.answer(line)) print_line(*answer);
  }
  return kDone;
}

}  // namespace cli
