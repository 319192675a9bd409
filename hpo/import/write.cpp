#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/adopt.h"
#include "hpo/import/optuna.h"
#include "hpo/log/event_log.h"
#include "hpo/log/metrics.h"
#include "hpo/log/study_lock.h"
#include "hpo/log/study_reader.h"

namespace hpo {

namespace {

Reported reported(const StudySpec& study, std::int64_t step, const std::vector<double>& values,
                  const Metrics& others) {
  Metrics metrics{{study.metric.name, values.at(0)}};
  for (std::size_t i = 1; i < values.size(); ++i)
    metrics.emplace_back(study.others.at(i - 1).name, values[i]);
  metrics.insert(metrics.end(), others.begin(), others.end());
  return {.step = step, .epochs = step, .value = values[0], .metrics = std::move(metrics)};
}

Ended ended(const StudySpec& study, const ImportedTrial& trial) {
  if (is_too_good(trial, study.metric.goal.value()))
    return {TrialState::failed, Cause::diverged, base::cat(study.metric.name, " is infinite")};
  const bool failed = trial.state == TrialState::failed;
  return {trial.state, failed ? Cause::error : Cause::none, failed ? "it failed elsewhere" : ""};
}

}  // namespace

void write_imported(const StudySpec& study, const std::vector<ImportedTrial>& trials,
                    const base::Path& folder) {
  EventLog log(folder);
  if (log.facts())
    throw base::Error(base::Errc::storage, base::cat(folder.string(),
                                                     " already holds a study: choose another name "
                                                     "with --output or another folder with --dir, "
                                                     "or delete ",
                                                     folder.string()));
  (void)adopt(log, study, nullptr, folder);
  log.replay([](const Event&) {});
  const Holder self = Holder::self();
  double vtime = 0;
  log.append({.vtime = 0,
              .trial = {},
              .body = Opened{.host = self.host, .pid = self.pid, .build = TRELLIS_VERSION}});
  std::uint64_t number = 0;
  for (const ImportedTrial& trial : trials) {
    log.append({.vtime = vtime, .trial = number, .body = Created{.params = trial.params}});
    const bool valued = !trial.values.empty();
    const bool said = !trial.reports.empty() && valued &&
                      same_number(trial.reports.rbegin()->second, trial.values[0]);
    const bool says_more = valued && !said && !is_too_good(trial, study.metric.goal.value());
    Metrics at_end = trial.constraints;
    at_end.insert(at_end.end(), trial.metrics.begin(), trial.metrics.end());
    const std::int64_t last = trial.reports.empty() ? 1 : trial.reports.rbegin()->first;
    for (const auto& [step, value] : trial.reports) {
      const bool is_end = step == last && !says_more;
      log.append({.vtime = ++vtime,
                  .trial = number,
                  .body = reported(study, step, {value}, is_end ? at_end : Metrics{})});
    }
    ++vtime;
    // At one moment with the end: no report on the way.
    if (says_more)
      log.append(
          {.vtime = vtime, .trial = number, .body = reported(study, last, trial.values, at_end)});
    log.append({.vtime = vtime,
                .trial = number,
                .body = ended(study, trial),
                .real = {.took = trial.seconds}});
    ++number;
  }
  log.note(kAskedFact, "1");
  log.note(kImportedFact, std::to_string(trials.size()));
  (void)log.commit();
}

}  // namespace hpo
