#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/runs.h"
#include "cli/submitted.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/node_info.h"
#include "hpo/log/stop_driver.h"
#include "hpo/log/study_claim.h"

namespace cli {

namespace {

constexpr std::int64_t kPatience = 60;

/// Asks the driver to send an agent away; what it runs goes to others.
int send_away(const hpo::StudyReader& run, const std::string& node) {
  if (!run.driver()) {
    std::fputs(base::cat("trellis: '", run.info().name, "' is not running\n").c_str(), stderr);
    return kNothingUsable;
  }
  std::vector<std::string> names;
  for (const hpo::NodeInfo& known : run.nodes()) {
    if (known.state == "working" || known.state == "leaving") names.push_back(known.node);
  }
  if (std::ranges::find(names, node) == names.end()) {
    std::string there;
    for (const std::string& name : names) there += (there.empty() ? "" : ", ") + name;
    throw base::Error(
        base::Errc::usage,
        base::cat("--node: no node '", base::printable(node, 60), "' works for '", run.info().name,
                  "'", there.empty() ? ", which has no nodes" : ", expected one of " + there,
                  base::did_you_mean(node, names)));
  }
  hpo::ask_to_dismiss(run.folder(), node);
  print_result(base::cat("node ", node, " is sent away\n"));
  return kDone;
}

}  // namespace

void declare_stop(Arguments& arguments) {
  declare_run(arguments);
  arguments.option(
      "--wait", "SECONDS",
      "how long to wait until it has stopped (default: 60; exit code 5 where it has not); 0 "
      "only asks");
  arguments.option("--node", "NAME", "send this agent away; the study continues without it");
}

int run_stop(const Arguments& arguments) {
  // Its driver may not have begun, or wait to be started again.
  const auto submitted = arguments.has("--node") ? std::nullopt : submitted_driver(arguments);
  if (submitted && !hpo::is_driven(submitted->folder)) {
    cancel(*submitted);
    hpo::forget_submitted_driver(submitted->folder);
    print_result(base::cat(arguments.text("RUN"), ": job ", submitted->job,
                           " was cancelled; the "
                           "same command again continues it\n"));
    return kDone;
  }
  const hpo::StudyReader run = open_run(arguments);
  if (arguments.has("--node")) return send_away(run, arguments.text("--node"));
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
  print_result(base::cat(name, ": process ", process, " was asked to stop and is ending its trials",
                         stopping.driver.alive() ? "; once more ends it at once\n" : "\n"));
  return patience == 0 ? kDone : base::exit_code(base::Errc::locked);
}

}  // namespace cli
