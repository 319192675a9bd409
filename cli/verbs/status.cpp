#include <string>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "cli/devices.h"
#include "cli/runs.h"
#include "cli/submitted.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "cli/watching.h"
#include "hpo/export/export.h"
#include "hpo/log/study_claim.h"

namespace cli {

namespace {

/// What the trees cost that the network is compared with. Workers of agents are not known here.
std::string text_trees(const hpo::StudyReader& study, const hpo::WorkCounters& work) {
  if (work.tree_seconds <= 0) return "";
  double busy = 0;
  for (const hpo::WorkerInfo& worker : study.workers()) busy += worker.busy;
  std::string out = base::cat("trees    ", short_seconds(work.tree_seconds));
  if (study.nodes().empty() && busy >= work.tree_seconds)
    out += base::cat(" of ", short_seconds(busy), " in tasks (",
                     base::with_digits(100 * work.tree_seconds / busy, 2), "%)");
  return out + "\n";
}

std::string text_status(const hpo::StudyReader& study) {
  hpo::StudyInfo info = study.info();
  hpo::TrialCounts counts = study.counts();
  hpo::WorkCounters work = study.work();
  const bool idle = info.asked && info.state == hpo::StudyState::running && counts.running == 0;
  std::string out = base::cat(info.name, ": ",
                              idle ? "kept, no trial is running" : tinted(hpo::name_of(info.state)),
                              info.reason.empty() ? "" : ", ", info.reason, "\n");
  if (auto driver = study.driver())
    out += base::cat(info.asked ? "keeper " : "driver ", "  process ", driver->pid, " on ",
                     driver->host, " since ", driver->since, "\n");
  out += base::cat("trials   ", counts.complete, " complete, ", counts.stopped, " stopped, ",
                   counts.failed, " failed, ", counts.running, " running, ", counts.waiting,
                   " waiting");
  out += info.trial_limit > 0 ? base::cat(" of ", info.trial_limit, "\n") : std::string("\n");
  const bool goes_on = info.state == hpo::StudyState::running || info.asked;
  if (!goes_on)
    out += text_failed(counts.failed, base::cat(called_as(), " sweep FILE --retry-failed"));
  if (auto best = study.best())
    out += base::cat("best     trial ", best->trial, ": ", info.metric, " = ",
                     best->value ? result_number(*best->value) : "none",
                     study.objective().violation(best->metrics) > 0 ? ", infeasible" : "", "\n");
  if (const hpo::Judge judge(study); judge.front)
    out += base::cat("front    ", judge.front->trials.size(), " trials",
                     hypervolume_text(*judge.front), "\n");
  out += "work     ";
  if (!info.programs)
    out += base::cat(work.tasks, " tasks, ", work.epochs, " epochs of which ", work.distinct_epochs,
                     " were run, ");
  out += base::cat(short_seconds(info.active_seconds), "\n", text_trees(study, work));
  const std::vector<hpo::NodeInfo> nodes = study.nodes();
  // The driver of agents computes nothing.
  if (!info.programs && nodes.empty()) out += devices_text(study.workers(), Cores::together);
  return out + nodes_text(nodes) + lent_text(work);
}

constexpr base::Duration kPeriod = std::chrono::milliseconds(500);

/// How the study stands, again and again until no driver runs it: what changed is printed. Ctrl-C
/// ends the watching, not the study.
void watch(const Arguments& arguments, const hpo::StudyReader& study) {
  const bool json = arguments.has("--json");
  if (!json && repaints_results()) return watch_on_terminal(study);
  std::string shown;
  for (;;) {
    const bool running = study.info().state == hpo::StudyState::running;
    const std::string now = json ? hpo::status_json(study) : text_status(study);
    if (now != shown) print_result(now);
    shown = now;
    if (!running) return;
    base::sleep_for(kPeriod);
  }
}

}  // namespace

void declare_status(Arguments& arguments) {
  declare_run(arguments);
  arguments.flag(
      "--watch",
      "again and again, until the study does not run any more; on a terminal twelve lines and "
      "keys");
  declare_json(arguments);
}

int run_status(const Arguments& arguments) {
  const auto submitted = arguments.has("--json") ? std::nullopt : submitted_driver(arguments);
  if (submitted && !hpo::is_driven(submitted->folder)) {
    print_result(base::cat("job ", submitted->job, " of Slurm is to drive it: ", submitted->state));
    if (!base::file_size(submitted->folder / "study.db")) return kDone;
  }
  hpo::StudyReader study = open_run(arguments);
  if (arguments.has("--watch")) return watch(arguments, study), kDone;
  print_view(
      arguments, [&] { return hpo::status_json(study); }, [&] { return text_status(study); });
  return kDone;
}

}  // namespace cli
