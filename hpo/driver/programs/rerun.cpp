#include "hpo/driver/programs/rerun.h"

#include <filesystem>
#include <optional>

#include "base/clock.h"
#include "base/process/start.h"
#include "base/text.h"
#include "hpo/driver/programs/command_end.h"
#include "hpo/driver/programs/command_reports.h"
#include "hpo/driver/programs/foreground.h"
#include "hpo/driver/programs/program_order.h"
#include "hpo/driver/programs/trial_folder.h"
#include "hpo/driver/programs/wandb_runs.h"
#include "hpo/log/study_lock.h"
#include "hpo/study/command.h"

namespace hpo {

Rerun rerun_command(const StudySpec& study, std::uint64_t trial, const Params& params,
                    const base::Path& folder) {
  TrialCommand command = trial_command(study, params);
  base::make_folder(folder);
  const std::string lock_file = base::cat("trial-", trial, ".lock");
  const StudyLock lock(folder, lock_file);
  if (lock.state() == StudyLock::State::held) throw StudyLock::refusal(folder, lock_file);
  std::error_code nothing_there;
  std::filesystem::remove_all(folder / trial_folder_name(trial), nothing_there);
  TrialFolder own = open_trial_folder(folder, trial, params);
  begin_log(own);
  command.words = command.words_with(trial_params(own.path));
  std::optional<WandbRuns> runs;
  if (study.library == Library::wandb) runs.emplace(study, params, own);
  CommandReports reports(study, nullptr);
  const TrialResources resources = trial_resources(study, params);
  const base::Moment begun = base::now();
  const base::ProcessOutcome outcome = run_in_foreground(
      command, base::environment_with(command_environment(study, own.path, resources, {})),
      reports.read_output() ? own.log.fd() : -1);
  const tasks::SupervisorNews news{.over = true,
                                   .end = outcome.end,
                                   .status = outcome.status,
                                   .took = (base::now() - begun).count()};
  Rerun made{.end = command_end(study, command.path, news, {}, false), .folder = own.path};
  try {
    if (runs) runs->read(true);
    reports.take(own, true, made.reports);
    for (const Report& report : made.reports) require_numbers(study, report);
    if (made.end.state == TrialState::complete) {
      std::optional<Report> last =
          closing_report(study, reports, news.status, static_cast<double>(news.took) * 1e-9);
      if (last) made.reports.push_back(std::move(*last));
    }
  } catch (const TrialFailure& failure) {
    if (made.end.state == TrialState::complete)
      made.end = {TrialState::failed, failure.cause(), failure.what()};
  }
  return made;
}

}  // namespace hpo
