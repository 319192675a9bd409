#include <cstdio>

#include "base/error.h"
#include "base/text.h"
#include "cli/held_isa.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/train_progress.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/interrupt.h"
#include "hpo/driver/programs/rerun.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/driver/sweep.h"
#include "hpo/study/asked.h"

namespace cli {

namespace {

constexpr const char* kFolder = "reruns";

/// The end of a rerun, and what the study has of the trial.
void print_end(const hpo::StudyReader& run, const hpo::TrialRow& logged, const hpo::Ended& end,
               std::optional<double> value, const base::Path& folder) {
  const std::string metric = run.info().metric;
  std::string out = base::cat("trial ", logged.trial, " again: ", hpo::name_of(end.state));
  if (!end.message.empty()) out += base::cat(" (", end.message, ")");
  if (value) out += base::cat(", ", metric, " = ", base::format_double(*value));
  out += base::cat("\n  in the study: ", hpo::name_of(logged.state));
  if (logged.value) out += base::cat(", ", metric, " = ", base::format_double(*logged.value));
  std::fputs(base::cat(out, "\n  left in ", folder.string(), "\n").c_str(), stderr);
}

int rerun_program(const hpo::StudyReader& run, const hpo::StudySpec& study,
                  const hpo::TrialRow& trial) {
  const hpo::Rerun again =
      hpo::rerun_command(study, trial.trial, trial.params, run.folder() / kFolder);
  std::optional<double> value;
  for (const hpo::Report& report : again.reports) value = report.value;
  print_end(run, trial, again.end, value, again.folder);
  return again.end.state == hpo::TrialState::complete ? kDone : kNothingUsable;
}

int rerun_network(const hpo::StudyReader& run, const hpo::StudySpec& study,
                  const hpo::TrialRow& trial) {
  hpo::RunOptions options;
  options.folder = run.folder() / kFolder / hpo::trial_folder_name(trial.trial);
  options.sharing = false;
  hpo::Interrupts interrupts;
  options.interrupts = interrupts.asked();
  TrainDisplay display(study.name, false);
  const hpo::TrainResult result = hpo::train_once(study, trial.params, options, display);
  display.finish();
  const hpo::Ended end{
      .state = result.trial.state, .cause = result.trial.cause, .message = result.trial.message};
  print_end(run, trial, end, result.trial.value, options.folder);
  return result.exit_code();
}

}  // namespace

void declare_rerun(Arguments& arguments) {
  declare_run(arguments);
  declare_trial(arguments);
}

int run_rerun(const Arguments& arguments) {
  const hpo::StudyReader run = open_run(arguments);
  const hpo::TrialRow trial = trial_to_repeat(run, arguments.text("TRIAL"), "TRIAL");
  const hpo::StudySpec study =
      hpo::parse_study(run.resolved(), (run.folder() / "study.yaml").string(), "/");
  hpo::require_own_trials(study);
  hold_to_isa(study.resources.isa);
  return study.runs_command ? rerun_program(run, study, trial) : rerun_network(run, study, trial);
}

}  // namespace cli
