// Trials: from what the machine says to coroutines, from their outcomes to events.

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "hpo/driver/attempt_end.h"
#include "hpo/driver/driver.h"

namespace hpo {

namespace {

/// So many seconds of training are done again rather than kept in memory for a trial that waits:
/// what takes no longer is often not worth writing, and the store does not have it.
constexpr double kTrainedAgain = 1;

}  // namespace

bool Driver::follow(std::size_t slots) {
  while (!fatal_) {
    const std::optional<Next> next = machine_.next(slots);
    if (!next) break;
    if (!perform(*next)) return false;
  }
  return true;
}

bool Driver::perform(const Next& next) {
  if (const auto* end = std::get_if<Finished>(&next.event)) return finish(*end), true;
  const std::uint64_t trial = next.trial.value();
  if (const auto* created = std::get_if<Created>(&next.event)) return create(trial, *created);
  if (const auto* end = std::get_if<Ended>(&next.event)) {
    end_trial(trial, *end);
  } else if (std::holds_alternative<Resumed>(next.event)) {
    resume(trial);
  } else {
    // The trial's own network is given up; the attempt that goes on begins with the other one.
    emit(trial, next.event);
    drop(trial);
  }
  return true;
}

bool Driver::create(std::uint64_t trial, Created created) {
  std::optional<Ended> impossible;
  try {
    created.inference_flops = setup_.work.facts(created.params).inference_flops;
  } catch (const base::Error& error) {
    impossible = Ended{TrialState::failed, Cause::error, error.what()};
  }
  timeline_.enter(trial, now_);
  emit(trial, created);
  if (!impossible) return start(trial), true;
  end_trial(trial, *impossible);
  return false;
}

void Driver::resume(std::uint64_t trial) {
  timeline_.enter(trial, now_);
  emit(trial, Resumed{});
  if (auto live = live_.find(trial); live != live_.end()) {
    live->second->answer(Decision::go);
  } else {
    start(trial);
  }
}

void Driver::finish(const Finished& end) {
  if (finished()) return;
  if (end.why == Finish::first) end_with_first();
  emit({}, end);
  drop_all();
}

/// The others would wait for a session that may never come.
void Driver::end_with_first() {
  for (const std::string& line : setup_.work.last_lines(machine_.first()))
    setup_.observer.note(base::cat("  | ", line));
  std::vector<std::uint64_t> others;
  for (const auto& [trial, past] : pasts_) others.push_back(trial);
  for (const std::uint64_t trial : others)
    emit(trial, Ended{TrialState::failed, Cause::killed, std::string(kEndedWithFirst)});
}

void Driver::start(std::uint64_t trial) {
  const Past& past = pasts_.at(trial);
  auto live = std::make_shared<LiveTrial>(trial, log_.trials().lineage(trial), past.reports,
                                          past.rounds, timeline_, machine_.search());
  live_[trial] = live;
  auto scope = live->group().enter();
  rt::spawn(attempt(live));
}

rt::Async<void> Driver::attempt(LivePtr trial) {
  std::exception_ptr thrown;
  try {
    co_await setup_.work.run(*trial);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (trial->is_void()) co_return;
  std::optional<Ended> end = thrown ? attempt_end(thrown) : Ended{};
  if (end) {
    trial->end(std::move(*end));
  } else {
    fatal_ = thrown;
  }
}

bool Driver::take_due() {
  std::optional<Timeline::Due> due = timeline_.due();
  if (!due) return false;
  LivePtr trial = live_.at(due->trial);
  timeline_.take(*due);
  now_ = std::max(now_, due->time);
  Outcome outcome = trial->take();
  for (const Noted& note : outcome.notes) emit(due->trial, note);
  if (auto* report = std::get_if<Reported>(&outcome.what)) {
    take_report(*trial, std::move(*report), outcome.real);
  } else if (const auto* round = std::get_if<Adapted>(&outcome.what)) {
    emit(due->trial, *round, outcome.real);
  } else {
    take_end(due->trial, std::get<Ended>(outcome.what), outcome.real);
  }
  return true;
}

void Driver::take_report(LiveTrial& trial, Reported report, const Real& real) {
  const std::uint64_t number = trial.trial();
  report.decision = machine_.answer(number, report);
  emit(number, report, real);
  const Real at_once{.at = real.at, .began = real.began};
  if (report.over) {
    end_trial(number, Ended{}, at_once);
  } else if (report.decision == Decision::stop) {
    end_trial(number, {TrialState::stopped, Cause::none, ""}, at_once);
  } else if (report.decision == Decision::pause) {
    timeline_.leave(number);
    if (!setup_.work.can_wait()) drop(number);
    keep_few_waiting();
  } else {
    trial.answer(report.decision);
  }
}

void Driver::take_end(std::uint64_t trial, const Ended& end, const Real& real) {
  const EventBody next = machine_.after_attempt(trial, end);
  if (std::holds_alternative<Ended>(next)) return end_trial(trial, end, real);
  emit(trial, next, real);
  drop(trial);
  timeline_.restart(trial, now_);
  start(trial);
}

void Driver::end_trial(std::uint64_t trial, const Ended& end, const Real& real) {
  emit(trial, end, real);
  timeline_.leave(trial);
  drop(trial);
  if (const auto over = machine_.hopeless()) finish(*over);
}

/// Attempts that wait hold their networks in memory. Beyond a few, those whose network the store
/// has are given up, the one that began first before the others: another attempt goes on from
/// there.
void Driver::keep_few_waiting() {
  if (!setup_.store) return;
  const std::size_t most = 2 * slots();
  std::size_t waiting = live_.size() - machine_.running();
  for (auto live = live_.begin(); live != live_.end() && waiting > most;) {
    const auto& [trial, attempt] = *live++;
    if (machine_.runs(trial)) continue;
    const Past& past = pasts_.at(trial);
    const auto key =
        past.reports.empty() ? std::nullopt : base::Key::from_hex(past.reports.back().checkpoint);
    if (!key || (attempt->busy_seconds() >= kTrainedAgain && !setup_.store->contains(*key)))
      continue;
    drop(trial);
    --waiting;
  }
}

void Driver::drop(std::uint64_t trial) {
  const auto live = live_.find(trial);
  if (live == live_.end()) return;
  live->second->make_void();
  live_.erase(live);
}

void Driver::drop_all() {
  for (auto& [trial, live] : live_) {
    timeline_.leave(trial);
    live->make_void();
  }
  live_.clear();
}

}  // namespace hpo
