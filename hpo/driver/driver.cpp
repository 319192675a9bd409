#include "hpo/driver/driver.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "base/text.h"
#include "hpo/driver/reached.h"
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

}  // namespace

Driver::Driver(DriverSetup setup)
    : setup_(std::move(setup)),
      study_(setup_.study),
      log_(setup_.log),
      search_(study_, setup_.known),
      timeline_(study_.order),
      checkpoints_(setup_.store, setup_.folder.string()),
      started_(base::now()) {}

Driver::~Driver() { drop_live(); }

DriverEnd Driver::run() {
  replay();
  open_session();
  finish_if_reached();
  if (!finished_) {
    for (const auto& [trial, past] : pasts_) {
      if (past.stands == Stands::runs) start(trial);
    }
    const std::int64_t chains = study_.parallel * setup_.work.networks();
    setup_.runtime.set_window(static_cast<int>(std::clamp<std::int64_t>(chains, 1, INT_MAX)));
    loop();
  }
  setup_.runtime.set_window(0);
  bool done = finished_ && export_best();
  keep_checkpoints();
  if (done && setup_.store) setup_.store->drop_cheap();
  note_work();
  commit(base::Durability::durable);
  if (fatal_) std::rethrow_exception(fatal_);
  return done ? DriverEnd::finished : DriverEnd::interrupted;
}

void Driver::loop() {
  while (!finished_ && !fatal_) {
    if (interrupted()) {
      setup_.observer.note("stopping: what is done is kept");
      drop_live();
      return;
    }
    obey_clock();
    finish_if_reached();
    const bool filled = fill_slots();
    search_ahead();
    setup_.work.turn();
    rt::poll();
    if (commit_is_due()) commit();
    checkpoints_.tick();
    if (finished_ || fatal_ || !filled || take_due() || finish_if_over()) continue;
    pause();
  }
}

bool Driver::interrupted() const { return setup_.interrupts && setup_.interrupts->load() > 0; }

void Driver::obey_clock() {
  if (study_.limits.time && active_seconds() >= *study_.limits.time) {
    finish(Finish::time,
           base::cat("limits.time of ", base::format_seconds(*study_.limits.time), " is over"));
  }
  if (!study_.limits.trial_time) return;
  std::vector<std::uint64_t> late;
  for (const auto& [trial, live] : live_) {
    const bool waits = pasts_.at(trial).stands != Stands::runs;
    if (!waits && !live->ended() && live->busy_seconds() >= *study_.limits.trial_time)
      late.push_back(trial);
  }
  for (std::uint64_t trial : late) {
    if (finished_) return;
    Ended end{TrialState::failed, Cause::timeout,
              base::cat("limits.trial_time of ", base::format_seconds(*study_.limits.trial_time),
                        " is over")};
    take_end(trial, end, live_.at(trial)->new_seconds());
  }
}

bool Driver::finish_if_over() {
  if (running_ > 0 || may_create()) return false;
  if (const auto last = search_.promotes(true)) return resume(*last), true;
  const auto given_up = winds_down() ? reached(study_.limits, log_.trials()) : std::nullopt;
  stop_waiting();
  if (finished_) return true;
  if (given_up) return finish(given_up->why, given_up->message), true;
  std::string trials = base::cat(search_.created(), search_.created() == 1 ? " trial" : " trials");
  if (exhausted_) {
    finish(Finish::exhausted, base::cat(trials, ": ", search_.why_exhausted()));
  } else {
    finish(Finish::trials, trials);
  }
  return true;
}

/// Whether limits.patience is over before any trial was complete: no more begin, and of those that
/// are there one comes to its end before the study does.
bool Driver::winds_down() const {
  const auto end = reached(study_.limits, log_.trials());
  return end && end->why == Finish::patience && log_.trials().record() == nullptr;
}

void Driver::finish_if_reached() {
  if (winds_down()) return;
  if (auto end = reached(study_.limits, log_.trials())) finish(end->why, std::move(end->message));
}

void Driver::finish(Finish why, std::string message) {
  if (finished_) return;
  finished_ = Finished{why, std::move(message)};
  emit({}, *finished_);
  drop_live();
}

void Driver::drop_live() {
  for (auto& [trial, live] : live_) {
    timeline_.leave(trial);
    live->make_void();
  }
  live_.clear();
}

void Driver::pause() {
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
      rt::spawn(setup_.work.finish(*best, log_.trials().lineage(best->trial)));
  while (rt::poll() != 0 || !model.ready()) {
    if (interrupted()) return group.cancel(), false;
    if (!model.ready()) rt::wait_event(kDriverTick);
  }
  const ExportedModel& made = model.get();
  if (!made.note.empty()) emit(best->trial, Noted{made.note});
  if (made.file.empty()) return true;
  exported_ = best->trial;
  exported_file_ = made.file;
  emit(best->trial, Exported{made.file, made.metrics, made.confusion});
  return true;
}

}  // namespace hpo
