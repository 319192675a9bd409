#include "hpo/driver/driver.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/text.h"
#include "hpo/driver/search_ahead.h"
#include "nn/adapt/operation_json.h"
#include "runtime/loop.h"

namespace hpo {

namespace {

/// How often progress is shown while nothing ends, and a Ctrl-C that woke nobody is noticed at the
/// latest.
constexpr base::Duration kDriverTick = std::chrono::milliseconds(500);

base::Duration duration_of(double seconds) {
  return std::chrono::duration_cast<base::Duration>(
      std::chrono::duration<double>(std::clamp(seconds, 0.0, 1e6)));
}

/// What a network copied from one trial to another may go through, as the log writes it.
std::vector<std::string> reshapes_of(const StudySpec& study) {
  std::vector<std::string> reshapes;
  for (const nn::Operation& operation : study.reshape)
    reshapes.push_back(nn::json_of(nn::Operations{operation}));
  return reshapes;
}

}  // namespace

Driver::Driver(DriverSetup setup)
    : setup_(std::move(setup)),
      study_(setup_.study),
      log_(setup_.log),
      machine_({.study = study_,
                .trials = &log_.trials(),
                .known = setup_.known,
                .reshapes = reshapes_of(study_)}),
      timeline_(study_.order),
      checkpoints_(setup_.store, setup_.folder.string()),
      started_(base::now()) {}

Driver::~Driver() { drop_all(); }

DriverEnd Driver::run() {
  replay();
  open_session();
  const std::int64_t chains = study_.parallel * setup_.work.networks();
  setup_.runtime.set_window(static_cast<int>(std::clamp<std::int64_t>(chains, 1, INT_MAX)));
  obey_clock();
  follow(0);
  for (const auto& [trial, past] : pasts_) {
    if (!finished() && machine_.runs(trial) && !live_.contains(trial)) start(trial);
  }
  loop();
  setup_.runtime.set_window(0);
  bool done = finished() && export_best();
  keep_checkpoints();
  if (done && setup_.store) setup_.store->drop_cheap();
  note_work();
  note_use();
  commit(base::Durability::durable);
  if (fatal_) std::rethrow_exception(fatal_);
  return done ? DriverEnd::finished : DriverEnd::interrupted;
}

std::size_t Driver::slots() const {
  return static_cast<std::size_t>(setup_.slots ? setup_.slots() : study_.parallel);
}

void Driver::loop() {
  const bool beside = setup_.runtime.executor() != rt::Executor::sequential;
  while (!finished() && !fatal_) {
    if (interrupted()) {
      setup_.observer.note("stopping: what is done is kept");
      drop_all();
      return;
    }
    if (setup_.require) setup_.require();
    obey_clock();
    const bool filled = follow(slots());
    if (beside && setup_.runtime.workers() > 0) search_ahead(machine_.work_ahead());
    setup_.work.turn();
    rt::poll();
    if (commit_is_due()) commit();
    checkpoints_.tick();
    if (finished() || fatal_ || !filled || take_due()) continue;
    setup_.pass_time ? setup_.pass_time() : wait_for_event();
  }
}

std::optional<Finished> Driver::out_of_time() const {
  if (!study_.limits.time || active_seconds() < *study_.limits.time) return std::nullopt;
  return Finished{Finish::time, base::cat("limits.time of ",
                                          base::format_seconds(*study_.limits.time), " is over")};
}

void Driver::obey_clock() {
  if (const auto end = out_of_time()) finish(*end);
  if (!study_.limits.trial_time) return;
  std::vector<std::uint64_t> late;
  for (const auto& [trial, live] : live_) {
    if (machine_.runs(trial) && !live->ended() && live->busy_seconds() >= *study_.limits.trial_time)
      late.push_back(trial);
  }
  for (std::uint64_t trial : late) {
    if (finished()) return;
    Ended end{TrialState::failed, Cause::timeout,
              base::cat("limits.trial_time of ", base::format_seconds(*study_.limits.trial_time),
                        " is over")};
    take_end(trial, end, live_.at(trial)->real());
  }
}

bool Driver::interrupted() const { return setup_.interrupts && setup_.interrupts->load() > 0; }

void Driver::wait_for_event() {
  base::Duration wait = kDriverTick;
  if (waits_since_) wait = std::min(wait, *waits_since_ + setup_.commit_delay - base::now());
  if (study_.limits.time)
    wait = std::min(wait, duration_of(*study_.limits.time - active_seconds()));
  if (study_.limits.trial_time) {
    for (const auto& [trial, live] : live_) {
      if (!live->group().running()) continue;
      wait = std::min(wait, duration_of(*study_.limits.trial_time - live->busy_seconds()));
    }
  }
  if (wait > base::Duration::zero()) rt::wait_event(wait);
  if (base::now() - shown_ >= kDriverTick) commit();
}

bool Driver::export_best() {
  const TrialRow* best = log_.trials().best();
  if (!best) return true;
  if (exported_ == best->trial && base::file_size(setup_.folder / exported_file_)) return true;
  commit();
  rt::Group group("best");
  auto scope = group.enter();
  rt::Value<ExportedModel> model =
      rt::spawn(setup_.work.finish(*best, log_.trials().lineage(best->trial), log_.trials()));
  while (rt::poll() != 0 || !model.ready()) {
    if (interrupted()) return group.cancel(), false;
    if (setup_.require) setup_.require();
    if (!model.ready()) rt::wait_event(kDriverTick);
  }
  const ExportedModel& made = model.get();
  if (!made.note.empty()) emit(best->trial, Noted{made.note});
  if (made.file.empty()) return true;
  if (made.verdict) {
    log_.note(kVerdictFact, json_of(*made.verdict));
    std::vector<ScoreInterval> intervals;
    for (const auto& [metric, estimate] : made.estimates)
      intervals.push_back({.metric = metric, .low = estimate.low, .high = estimate.high});
    log_.note(kIntervalsFact, json_of(intervals));
  }
  if (made.calibration) log_.note(kCalibrationFact, json_of(*made.calibration));
  emit(best->trial, Exported{made.file, made.metrics, made.confusion});
  return true;
}

}  // namespace hpo
