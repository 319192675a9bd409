#include <cstdio>

#include "base/text.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/stop_driver.h"

namespace cli {

namespace {

constexpr std::int64_t kPatience = 60;

}  // namespace

void declare_stop(Arguments& arguments) {
  declare_run(arguments);
  arguments.option(
      "--wait", "SECONDS",
      "how long to wait until it has stopped (default: 60; exit code 5 where it has not); 0 "
      "only asks");
}

int run_stop(const Arguments& arguments) {
  const hpo::StudyReader run = open_run(arguments);
  const std::string name = run.info().name;
  const std::int64_t patience = arguments.integer("--wait", 0, 1'000'000).value_or(kPatience);
  const hpo::Stopping stopping = hpo::stop_driver(run.folder(), static_cast<double>(patience));
  const std::int64_t process = stopping.driver.pid;
  switch (stopping.answer) {
    case hpo::StopAnswer::idle:
      std::fputs(base::cat("trellis: '", name, "' is not running\n").c_str(), stderr);
      return kNothingUsable;
    case hpo::StopAnswer::stopped:
      print_result(base::cat(name, ": process ", process,
                             " has stopped; the same command "
                             "again continues it\n"));
      return kDone;
    case hpo::StopAnswer::still:
      break;
  }
  print_result(
      base::cat(name, ": process ", process,
                " was asked to stop and is ending its trials; once more ends it at once\n"));
  return patience == 0 ? kDone : base::exit_code(base::Errc::locked);
}

}  // namespace cli
