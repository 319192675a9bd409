#include "hpo/driver/sweep.h"

#include <utility>

#include "hpo/driver/driver.h"
#include "hpo/driver/folded_work.h"
#include "hpo/driver/front_files.h"
#include "hpo/driver/loaded_study.h"
#include "hpo/driver/run_config.h"
#include "hpo/driver/same_study.h"
#include "runtime/base/text.h"
#include "runtime/instance.h"

namespace hpo {

namespace {

constexpr const char* kModelFile = "best.safetensors";

StudyFacts facts_of(const StudySpec& study, const StudyData& data) {
  StudyFacts facts{
      .name = study.name, .metric = study.metric.name, .objective = objective_of(study)};
  for (const Parameter& parameter : study.space.parameters())
    facts.parameters.push_back(parameter.name);
  facts.resolved = with_content(resolved_yaml(study), data.content);
  return facts;
}

/// Begins the log of a fresh folder, or checks that the one that is there is of this study.
std::vector<Changed> adopt(EventLog& log, const StudySpec& study, const StudyData& data,
                           const rt::Path& folder) {
  StudyFacts facts = facts_of(study, data);
  std::vector<Changed> changes;
  if (log.facts()) {
    changes = changes_between(in_todays_words(log.facts()->resolved, facts.resolved, data.info),
                              facts.resolved);
    log.note("resolved", facts.resolved);
  } else {
    log.begin(facts);
  }
  rt::write_file_atomic(folder / "study.yaml", facts.resolved);
  return changes;
}

SweepResult result_of(const Driver& driver, const EventLog& log, const RunOptions& options,
                      DriverEnd end) {
  SweepResult result;
  if (const TrialRow* best = log.trials().best()) result.best = *best;
  result.ending = end == DriverEnd::interrupted ? Ending::interrupted
                  : result.best                 ? Ending::done
                                                : Ending::nothing_usable;
  if (driver.finished()) result.reason = driver.finished()->message;
  result.resumed = log.epoch() > 1;
  result.counts = log.trials().counts();
  if (result.best && end == DriverEnd::finished)
    result.model = ModelInfo{.file = options.folder / kModelFile, .trial = result.best->trial};
  result.seconds = driver.session_seconds();
  result.work = driver.work();
  return result;
}

int exit_code_of(Ending ending) noexcept {
  switch (ending) {
    case Ending::done:
      return 0;
    case Ending::nothing_usable:
      return 1;
    case Ending::interrupted:
      break;
  }
  return rt::exit_code(rt::Errc::cancelled);
}

}  // namespace

int SweepResult::exit_code() const noexcept { return exit_code_of(ending); }
int TrainResult::exit_code() const noexcept { return exit_code_of(ending); }

SweepResult run_sweep(const StudySpec& study, const RunOptions& options, Observer& observer) {
  EventLog log(options.folder);
  tasks::setup_process();
  const rt::Config config = config_of(options, study);
  rt::Runtime runtime(config);
  LoadedStudy loaded = load_settled(study);
  require_resources(loaded.asked, runtime);
  for (const std::string& note : loaded.data.value.get().header().notes) observer.note(note);
  std::vector<Changed> changes = adopt(log, loaded.study, loaded.data, options.folder);
  loaded.study.parallel = slots_of(loaded.study, loaded.asked, runtime.workers(), runtime.gpus());
  const std::unique_ptr<NetworkWork> work =
      network_work(loaded.study, runtime, options.folder, kModelFile, options.sharing);
  work->provide(loaded.params, loaded.data);
  Driver driver({.study = loaded.study,
                 .log = log,
                 .runtime = runtime,
                 .work = *work,
                 .observer = observer,
                 .folder = options.folder,
                 .interrupts = options.interrupts,
                 .changes = std::move(changes),
                 .arithmetic = tasks::arithmetic(),
                 .store = config.store,
                 .commit_delay = options.commit_delay});
  DriverEnd end = driver.run();
  write_front(options.folder, log.trials());
  return result_of(driver, log, options, end);
}

}  // namespace hpo
