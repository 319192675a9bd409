#include <string>

#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/export.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

std::string text_status(const hpo::StudyReader& study) {
  hpo::StudyInfo info = study.info();
  hpo::TrialCounts counts = study.counts();
  hpo::WorkCounters work = study.work();
  std::string out = rt::cat(info.name, ": ", tinted(hpo::name_of(info.state)),
                            info.reason.empty() ? "" : ", ", info.reason, "\n");
  if (auto driver = study.driver())
    out += rt::cat("driver   process ", driver->pid, " on ", driver->host, " since ", driver->since,
                   "\n");
  out +=
      rt::cat("trials   ", counts.complete, " complete, ", counts.stopped, " stopped, ",
              counts.failed, " failed, ", counts.running, " running, ", counts.waiting, " waiting");
  out += info.trial_limit > 0 ? rt::cat(" of ", info.trial_limit, "\n") : std::string("\n");
  if (auto best = study.best())
    out += rt::cat("best     trial ", best->trial, ": ", info.metric, " = ",
                   best->value ? rt::format_double(*best->value) : "none", "\n");
  out += rt::cat("work     ", work.tasks, " tasks, ", work.epochs, " epochs of which ",
                 work.distinct_epochs, " were run, ", short_seconds(info.active_seconds), "\n");
  return out;
}

}  // namespace

void declare_status(Arguments& arguments) {
  declare_run(arguments);
  declare_json(arguments);
}

int run_status(const Arguments& arguments) {
  hpo::StudyReader study = open_run(arguments);
  print_view(
      arguments, [&] { return hpo::status_json(study); }, [&] { return text_status(study); });
  return kDone;
}

}  // namespace cli
