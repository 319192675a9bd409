#include "hpo/driver/sweep.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/machine.h"
#include "base/new_file.h"
#include "base/text.h"
#include "hpo/driver/adopt.h"
#include "hpo/driver/driver.h"
#include "hpo/driver/networks/baselines.h"
#include "hpo/driver/networks/folded_work.h"
#include "hpo/driver/networks/front_files.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/nodes/study_nodes.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/programs/command_work.h"
#include "hpo/driver/programs/gpu_share.h"
#include "hpo/driver/programs/program_files.h"
#include "hpo/driver/run_config.h"
#include "hpo/driver/same_study.h"
#include "hpo/driver/warm_start.h"
#include "hpo/search/reached.h"
#include "hpo/study/asked.h"
#include "hpo/study/lateness.h"
#include "nn/data/kept_tables.h"
#include "runtime/instance.h"

namespace hpo {

namespace {

/// So long the end of a program's trial may wait to be written, at most.
constexpr base::Duration kProgramDelay = std::chrono::milliseconds(10);

constexpr const char* kBestModelFile = "best.safetensors";

/// With `parallel: auto` there are as many trials at once as the agents hold.
bool follows_agents(const StudySpec& study, const RunOptions& options) {
  return options.on_agents() && study.parallel == 0;
}

std::function<std::int64_t()> slots_of_agents(const TrialResources& asked) {
  return [asked] { return StudyNodes::slots(asked); };
}

SweepResult result_of(const StudySpec& study, const Driver& driver, const EventLog& log,
                      const RunOptions& options, DriverEnd end) {
  SweepResult result;
  const TrialRow* best = end == DriverEnd::interrupted
                             ? log.trials().best_so_far(ends_by_time(study))
                             : log.trials().best();
  if (best != nullptr) result.best = *best;
  if (result.best && result.best->state == TrialState::running)
    result.best->state = TrialState::waiting;  // for the next session
  result.finished = driver.finished();
  // What limits.time ends counts by its reports, and a stopped trial of networks leaves a network.
  const bool by_time = result.finished && result.finished->why == Finish::time;
  const bool usable =
      result.best && (by_time || !study.runs_command || log.trials().counts().complete > 0);
  result.ending = end == DriverEnd::interrupted ? Ending::interrupted
                  : usable                      ? Ending::done
                                                : Ending::nothing_usable;
  result.resumed = log.epoch() > 1;
  result.counts = log.trials().counts();
  if (result.best && end == DriverEnd::finished && base::file_size(options.folder / kBestModelFile))
    result.model = ModelInfo{.file = options.folder / kBestModelFile, .trial = result.best->trial};
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
  return base::exit_code(base::Errc::cancelled);
}

}  // namespace

int SweepResult::exit_code() const noexcept { return exit_code_of(ending); }
int TrainResult::exit_code() const noexcept { return exit_code_of(ending); }

namespace {

/// A mistake in the study file that kept every trial from reporting can be mended there.
void begin_anew_if_mended(EventLog& log, const StudySpec& study, const StudyData* data,
                          const base::Path& folder, Observer& observer) {
  const std::string other = begin_anew(log, study, data, folder);
  if (!other.empty())
    observer.note(base::cat("the study file differs in ", other,
                            ", and no trial had reported yet: the study starts over (the old "
                            "trials' files are in trials.before-N of its folder)"));
}

std::string resolved_before(const EventLog& log) {
  return log.facts() ? log.facts()->resolved : "";
}

/// A study that goes on without a metric of its own keeps the one that it began with.
StudySpec with_logged_metric(const StudySpec& study, const EventLog& log) {
  if (study.names_metric || !log.facts() || log.is_void()) return study;
  StudySpec kept = study;
  kept.metric.name = log.facts()->metric;
  kept.metric.goal = log.facts()->objective.maximize ? Goal::maximize : Goal::minimize;
  kept.names_metric = true;
  return kept;
}

StudySpec with_logged_rule(const StudySpec& study, const std::string& resolved) {
  if (study.names_rule || resolved.empty()) return study;
  try {
    const std::string here = with_places_of(resolved, resolved_yaml(study));
    return with_rule_of(parse_study(here, "study.yaml", "/"), study);
  } catch (const base::Error&) {
    return study;  // made by another version: adopt() says what is other
  }
}

/// The baselines of an earlier session; none if it had to do without trees, and this one has not.
std::vector<BaselineRow> known_baselines(const EventLog& log, const TreePlan& trees) {
  const std::optional<std::string> text = log.noted(kBaselinesFact);
  if (!text) return {};
  std::vector<BaselineRow> rows = baselines_from_json(*text);
  const bool tried = std::ranges::find(rows, nn::kBoostedTrees, &BaselineRow::name) != rows.end();
  return tried || !trees.size ? rows : std::vector<BaselineRow>{};
}

SweepResult sweep_networks(EventLog& log, const StudySpec& study, const RunOptions& options,
                           Observer& observer) {
  require_isa(study);
  tasks::setup_process();
  StudyNodes nodes(study, options, log, observer);
  rt::Config config = config_of(options, study);
  nodes.configure(config);
  rt::Runtime runtime(config);
  const StudyNodes::Closing closing(nodes);
  std::optional<nn::KeptTables> kept(std::in_place);
  LoadedStudy loaded = load_settled(with_logged_metric(study, log));
  require_other_model(loaded, options.folder / kBestModelFile);
  require_resources(loaded.asked, runtime);
  for (const std::string& note : loaded.notes) observer.note(note);
  loaded.study = with_threshold(loaded, resolved_before(log), runtime.workers(), runtime.gpus());
  const TrialResources asked = trial_resources(loaded.study, loaded.study.space.middle());
  prepare_gpu(asked);
  require_precision(loaded.study.precision, asked);
  begin_anew_if_mended(log, loaded.study, &loaded.data, options.folder, observer);
  loaded.study = with_logged_rule(loaded.study, resolved_before(log));
  std::vector<Changed> changes = adopt(log, loaded.study, &loaded.data, options.folder);
  // Each worker of a GPU has a core, too.
  const int cores = runtime.workers() + runtime.gpu_workers();
  const bool by_agents = follows_agents(loaded.study, options);
  loaded.study.parallel = by_agents ? StudyNodes::kMostSlots
                                    : slots_of(loaded.study, loaded.asked, cores, runtime.gpus());
  nodes.open(loaded.study.parallel);
  const std::unique_ptr<NetworkWork> work =
      network_work(loaded.study, runtime, options.folder, kBestModelFile, options.sharing);
  work->provide(loaded.params, loaded.data);
  Driver driver({.study = loaded.study,
                 .log = log,
                 .runtime = runtime,
                 .work = *work,
                 .observer = observer,
                 .folder = options.folder,
                 .interrupts = options.interrupts,
                 .changes = std::move(changes),
                 .arithmetic = tasks::arithmetic(loaded.study.precision),
                 .store = config.store,
                 .known = known_of(log),
                 .retry_failed = options.retry_failed,
                 .slots = by_agents ? slots_of_agents(loaded.asked) : nullptr,
                 .require = [&nodes] { nodes.require_some(); },
                 .commit_delay = options.commit_delay});
  const TreePlan trees = trees_of_sweep(loaded);
  const std::vector<BaselineRow> known = known_baselines(log, trees);
  const Baselines baselines = known.empty() ? Baselines(loaded, trees) : Baselines(known, trees);
  kept.reset();
  work->judge_against(baselines);
  nodes.begin();
  DriverEnd end = driver.run();
  if (end == DriverEnd::finished) nodes.finish();
  if (known.empty() && end == DriverEnd::finished) {
    log.note(kBaselinesFact, json_of(baselines.rows()));
    log.commit();
  }
  write_front(options.folder, log.trials());
  return result_of(loaded.study, driver, log, options, end);
}

/// With `parallel: auto` also as many as there is memory for.
std::int64_t program_slots(const StudySpec& study, const TrialResources& asked, int cores,
                           int gpus) {
  const std::int64_t slots = slots_of(study, asked, cores, gpus);
  if (study.parallel > 0 || asked.memory.value_or(0) == 0) return slots;
  const auto fit = static_cast<std::int64_t>(base::usable_memory() / *asked.memory);
  return std::clamp<std::int64_t>(fit, 1, slots);
}

/// Nothing is computed here: the driver's thread alone waits for the programs, or its agents do.
SweepResult sweep_programs(EventLog& log, StudySpec study, const RunOptions& options,
                           Observer& observer) {
  StudyNodes nodes(study, options, log, observer);
  rt::Config config{.workers = 1, .executor = rt::Executor::sequential};
  nodes.configure(config);
  const rt::Runtime runtime(config);
  const StudyNodes::Closing closing(nodes);
  const TrialResources asked = trial_resources(study, study.space.middle());
  const int cores = options.workers > 0 ? options.workers : base::usable_cores();
  const int gpus = static_cast<int>(base::gpu_names().size());
  const bool on_agents = options.on_agents();
  if (!on_agents) require_resources(asked, cores, gpus);
  begin_anew_if_mended(log, study, nullptr, options.folder, observer);
  std::vector<Changed> changes = adopt(log, study, nullptr, options.folder);
  const std::string files = program_files(trial_command(study, study.space.middle()));
  for (Changed& change : changed_files(log.noted(kProgramFilesFact).value_or(""), files))
    changes.push_back(std::move(change));
  log.note(kProgramFilesFact, files);
  const bool by_agents = follows_agents(study, options);
  study.parallel = by_agents ? StudyNodes::kMostSlots : program_slots(study, asked, cores, gpus);
  nodes.open(study.parallel);
  CommandWork work(study, options.folder, on_agents);
  Driver driver({.study = study,
                 .log = log,
                 .runtime = runtime,
                 .work = work,
                 .observer = observer,
                 .folder = options.folder,
                 .interrupts = options.interrupts,
                 .changes = std::move(changes),
                 .known = known_of(log),
                 .retry_failed = options.retry_failed,
                 .slots = by_agents ? slots_of_agents(asked) : nullptr,
                 .require = [&nodes] { nodes.require_some(); },
                 // What a program has done is not done again with the same bits.
                 .commit_delay = std::min<base::Duration>(options.commit_delay, kProgramDelay)});
  nodes.begin();
  const DriverEnd end = driver.run();
  if (end == DriverEnd::finished) nodes.finish();
  return result_of(study, driver, log, options, end);
}

}  // namespace

SweepResult run_sweep(const StudySpec& study, const RunOptions& options, Observer& observer) {
  require_own_trials(study);
  study::require_repeatable(study);
  EventLog log(options.folder);
  base::remove_leftovers(options.folder);
  return study.runs_command ? sweep_programs(log, study, options, observer)
                            : sweep_networks(log, study, options, observer);
}

}  // namespace hpo
