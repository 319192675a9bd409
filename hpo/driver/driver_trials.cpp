// Trials: from proposals to coroutines, from their outcomes to events.

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include "base/text.h"
#include "hpo/driver/driver.h"
#include "runtime/failure.h"
#include "runtime/instance.h"
#include "runtime/loop.h"
#include "runtime/task.h"
#include "tasks/spawn.h"
#include "tasks/tasks.h"

namespace hpo {

namespace {

/// What a task's exception says without the worker and the attempt, which differ from run to run.
std::string reason_of(const base::Error& error) {
  const auto* task = dynamic_cast<const rt::TaskError*>(&error);
  return task ? base::cat(task->details().task, ": ", task->details().reason) : error.what();
}

/// The end of a trial whose coroutine threw; nothing when it is the sweep that has to end.
std::optional<Ended> end_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const TrialFailure& failure) {
    return Ended{TrialState::failed, failure.cause(), failure.what()};
  } catch (const base::Error& error) {
    if (error.kind() == base::Errc::no_device || dynamic_cast<const tasks::NoMore*>(&error))
      return {};
    // What no task says is of the study's own folder: the next trial would fail by it, too.
    if (error.kind() == base::Errc::storage && !dynamic_cast<const rt::TaskError*>(&error))
      return {};
    try {
      std::rethrow_if_nested(error);
    } catch (const rt::NoRoom&) {
      return Ended{TrialState::failed, Cause::out_of_memory, reason_of(error), /*for_good=*/true};
    } catch (const std::bad_alloc&) {
      return Ended{TrialState::failed, Cause::out_of_memory, reason_of(error)};
    } catch (const tasks::NoMore&) {
      return {};
    } catch (const tasks::DeviceLost&) {
      return Ended{TrialState::failed, Cause::lost, reason_of(error)};
    } catch (...) {
      // The body's own exception says no more than the reason does.
    }
    return Ended{TrialState::failed, Cause::error, reason_of(error)};
  } catch (const std::bad_alloc&) {
    return Ended{TrialState::failed, Cause::out_of_memory, "out of memory"};
  } catch (const std::exception& error) {
    return Ended{TrialState::failed, Cause::error, error.what()};
  } catch (...) {
    return Ended{TrialState::failed, Cause::error, "an exception without words"};
  }
}

/// Work of the sampler's for a worker of this process; anywhere else there is nothing to do.
struct SearchWork {
  std::function<void()> run;
  template <class A>
  void fields(A&) {}
};

/// Before trials that are ready: proposals need what comes of it sooner than these end.
const auto& search_task() {
  static const auto task = rt::task("search", 1)
                               .cpu([](const SearchWork& work) {
                                 if (work.run) work.run();
                               })
                               .priority(1);
  return task;
}

}  // namespace

bool Driver::may_create() const {
  if (finished_ || exhausted_ || winds_down()) return false;
  return !study_.limits.trials ||
         search_.created() < static_cast<std::uint64_t>(*study_.limits.trials);
}

bool Driver::fill_slots() {
  const auto slots = static_cast<std::size_t>(study_.parallel);
  apply_decisions();
  stop_given_up();
  resume_released();
  while (running_ < slots && !finished_ && !fatal_) {
    if (const auto trial = search_.promotes(false)) {
      resume(*trial);
    } else if (!may_create()) {
      break;
    } else if (std::optional<Params> params = search_.propose()) {
      if (!create(*params)) return false;
    } else {
      exhausted_ = true;
    }
  }
  return true;
}

void Driver::search_ahead() {
  const bool beside = setup_.runtime.executor() != rt::Executor::sequential;
  if (!beside || setup_.runtime.workers() == 0 || !may_create()) return;
  if (std::function<void()> work = search_.work_ahead()) search_task()(SearchWork{std::move(work)});
}

bool Driver::create(const Params& params) {
  std::uint64_t trial = search_.created();
  TrialFacts facts;
  std::optional<Ended> impossible;
  try {
    facts = setup_.work.facts(params);
  } catch (const base::Error& error) {
    impossible = Ended{TrialState::failed, Cause::error, error.what()};
  }
  Created created{.params = params, .inference_flops = facts.inference_flops, .parent = {}};
  search_.tell(trial, created);
  timeline_.enter(trial, now_);
  stand(trial, Stands::runs);
  emit(trial, std::move(created));
  if (impossible) {
    end_trial(trial, *impossible, 0);
    stop_if_hopeless(trial, *impossible);
    return false;
  }
  start(trial);
  return true;
}

void Driver::start(std::uint64_t trial) {
  const Past& past = pasts_.at(trial);
  auto live = std::make_shared<LiveTrial>(trial, log_.trials().lineage(trial), past.reports,
                                          past.rounds, timeline_, search_);
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
  std::optional<Ended> end = thrown ? end_of(thrown) : Ended{};
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
  for (Noted& note : outcome.notes) emit(due->trial, std::move(note));
  if (auto* report = std::get_if<Reported>(&outcome.what)) {
    take_report(*trial, std::move(*report), outcome.took);
  } else if (auto* round = std::get_if<Adapted>(&outcome.what)) {
    take_round(due->trial, std::move(*round), outcome.took);
  } else {
    take_end(due->trial, std::get<Ended>(outcome.what), outcome.took);
  }
  return true;
}

void Driver::take_report(LiveTrial& trial, Reported report, double took) {
  std::uint64_t number = trial.trial();
  const Word said = search_.word_on(number, report);
  report.word = report.over ? Word::go : said;
  search_.tell(number, report);
  pasts_.at(number).reports.push_back(report);
  const Word word = report.word;
  const bool over = report.over;
  emit(number, std::move(report), took);
  if (over) {
    end_trial(number, Ended{}, 0);
  } else if (word == Word::stop) {
    end_trial(number, {TrialState::stopped, Cause::none, ""}, 0);
  } else if (word == Word::pause) {
    stand(number, Stands::waits);
    timeline_.leave(number);
    if (!setup_.work.can_wait()) {
      trial.make_void();
      live_.erase(number);
    }
    keep_few_waiting();
  } else {
    trial.answer(word);
  }
}

void Driver::take_round(std::uint64_t trial, Adapted round, double took) {
  Past& past = pasts_.at(trial);
  past.rounds.push_back({past.reports.size(), round});
  emit(trial, std::move(round), took);
}

void Driver::take_end(std::uint64_t trial, const Ended& end, double took) {
  const Retry& policy = study_.retry;
  bool again = end.state == TrialState::failed && !end.for_good &&
               log_.trials().row(trial).attempts <= policy.max &&
               std::ranges::find(policy.on, end.cause) != policy.on.end();
  if (again) {
    retry(trial, end, took);
  } else {
    end_trial(trial, end, took);
    stop_if_hopeless(trial, end);
  }
}

void Driver::retry(std::uint64_t trial, const Ended& end, double took) {
  emit(trial, Retried{end.cause, end.message}, took);
  live_.at(trial)->make_void();
  timeline_.restart(trial, now_);
  start(trial);
}

void Driver::end_trial(std::uint64_t trial, const Ended& end, double took) {
  search_.tell(trial, end);
  emit(trial, end, took);
  timeline_.leave(trial);
  forget(trial);
  if (auto live = live_.find(trial); live != live_.end()) {
    live->second->make_void();
    live_.erase(live);
  }
}

void Driver::stop_if_hopeless(std::uint64_t trial, const Ended& end) {
  if (end.state != TrialState::failed) return;
  const auto reported = [](const TrialRow& row) { return row.value.has_value(); };
  if (trial == first_ && end.cause == Cause::error &&
      std::ranges::none_of(log_.trials().rows(), reported)) {
    for (const std::string& line : setup_.work.last_lines(trial))
      setup_.observer.note(base::cat("  | ", line));
    finish(Finish::first,
           base::cat("the first trial failed before it reported anything: ", end.message));
    return;
  }
  std::int64_t failed = log_.trials().counts().failed;
  if (study_.limits.failed && failed >= *study_.limits.failed) {
    finish(Finish::failed,
           base::cat(failed, failed == 1 ? " trial" : " trials", " failed, the last one by ",
                     name_of(end.cause), end.message.empty() ? "" : ": ", end.message));
  }
}

}  // namespace hpo
