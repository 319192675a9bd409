#include <iostream>
#include <string>

#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/solver/session.h"

namespace cli {

namespace {

hpo::SolverMethod method_of(const Arguments& arguments) {
  hpo::SolverMethod method;
  if (arguments.has("--method")) method.sampler = arguments.text("--method");
  if (arguments.has("--early-stop")) method.rule = arguments.text("--early-stop");
  return method;
}

}  // namespace

void declare_solver(Arguments& arguments) {
  arguments.option("--method", "NAME", "what proposes, as in a study file (default: tpe)");
  arguments.option(
      "--early-stop", "RULE",
      "what stops trials between steps, as in a study file, such as auto (default: none)");
}

int run_solver(const Arguments& arguments) {
  hpo::SolverSession session(method_of(arguments));
  print_result(session.greeting());
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty()) continue;
    if (const auto answer = session.answer(line)) print_result(*answer);
  }
  return kDone;
}

}  // namespace cli
