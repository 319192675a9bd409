#include "hpo/driver/command_work.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "hpo/driver/command_end.h"
#include "runtime/base/log.h"
#include "runtime/base/text.h"
#include "runtime/loop.h"
#include "tasks/spawn.h"

namespace hpo {

namespace {

constexpr std::size_t kShownLines = 10;
constexpr int kFiles = 12;  ///< that are open at once while a program starts

std::int64_t nanoseconds(double seconds) {
  constexpr double kMost = 9e18;
  return static_cast<std::int64_t>(std::min(kMost, seconds * 1e9));
}

/// What is searched for must be a number; what has bounds is worst where it is none.
void require_numbers(const StudySpec& study, const Report& report) {
  const auto require = [&](const std::string& name, double value) {
    if (std::isnan(value))
      throw TrialFailure(Cause::diverged, rt::cat(name, " is not a number at step ", report.step));
  };
  require(study.metric.name, report.value);
  for (const Metric& other : study.others) {
    const auto found = std::ranges::find(report.metrics, other.name, &Metrics::value_type::first);
    if (found != report.metrics.end()) require(other.name, found->second);
  }
}

}  // namespace

std::map<std::string, std::string> command_environment(const rt::Path& folder,
                                                       const Resources& resources,
                                                       const std::optional<std::string>& gpus) {
  std::map<std::string, std::string> environment{
      {"TRELLIS_TRIAL_DIR", folder.string()},
      {"TRELLIS_CHECKPOINT_DIR", (folder / "checkpoint").string()},
      {"TRELLIS_METRICS", (folder / "metrics.jsonl").string()},
      {"OMP_NUM_THREADS", std::to_string(resources.cpus)}};
  if (gpus) environment.emplace("CUDA_VISIBLE_DEVICES", *gpus);
  return environment;
}

CommandWork::CommandWork(const StudySpec& study, rt::Path folder)
    : study_(study),
      folder_(std::move(folder)),
      places_(static_cast<std::size_t>(study.parallel)),
      killed_for_memory_(killed_for_memory()),
      supervisors_([] { rt::wake(); }) {}

TrialFacts CommandWork::facts(const Params& params) {
  (void)trial_command(study_, params);
  return {};
}

void CommandWork::Attempt::stir() {
  if (waits) std::exchange(waits, std::nullopt)->set();
}

/// Until stir() is called.
rt::Async<void> CommandWork::something(AttemptPtr attempt) {
  attempt->waits.emplace();
  const rt::Value<void> stirred = attempt->waits->value();
  co_await stirred;
}

rt::Async<void> CommandWork::place(AttemptPtr attempt) {
  admit();
  while (!attempt->gpus && !attempt->unwanted) {
    rt::Async<void> waiting = something(attempt);
    co_await std::move(waiting);
  }
}

/// Does what takes files or a process. Where the system has none left the others that run are as
/// many as can: the attempt gives its place back and waits for another one. False then.
bool CommandWork::has_room(const AttemptPtr& attempt, const std::function<void()>& doing) {
  try {
    doing();
    return true;
  } catch (const tasks::NoMore& lack) {
    if (runs_.size() <= 1) throw;
    if (places_.lack(runs_.size() - 1, rt::now()))
      rt::warn(rt::cat(lack.what(), "; going on with fewer programs at once"));
  }
  gpus_.give_back(*std::exchange(attempt->gpus, std::nullopt));
  runs_.erase(attempt->trial);
  queue_.push_front(attempt);
  return false;
}

/// Places for those that wait: at most `parallel` at once, and a trial's next attempt only when
/// nothing of the one before is left.
void CommandWork::admit() {
  const std::size_t most = places_.most(rt::now());
  for (auto next = queue_.begin(); next != queue_.end();) {
    const AttemptPtr attempt = *next;
    if (attempt->unwanted) {
      next = queue_.erase(next);
      continue;
    }
    if (runs_.size() >= most) return;
    if (!runs_.contains(attempt->trial)) attempt->gpus = gpus_.take(attempt->resources);
    if (!attempt->gpus) {
      ++next;
      continue;
    }
    runs_.emplace(attempt->trial, attempt);
    next = queue_.erase(next);
    attempt->stir();
  }
}

void CommandWork::start(const AttemptPtr& attempt, const TrialCommand& command,
                        const TrialFolder& folder) {
  const Limits& limits = study_.limits;
  std::optional<std::string> gpus;
  if (gpus_.count() > 0) gpus = gpus_.names(*attempt->gpus);
  attempt->program =
      supervisors_.start({.path = command.path,
                          .words = command.words,
                          .folder = command.folder,
                          .environment = command_environment(folder.path, attempt->resources, gpus),
                          .order = {.time = nanoseconds(limits.trial_time.value_or(0)),
                                    .stall = nanoseconds(limits.no_progress.value_or(0)),
                                    .grace = nanoseconds(limits.grace),
                                    .log_bytes = limits.log,
                                    .memory = attempt->resources.memory.value_or(0)},
                          .log = folder.log.fd(),
                          .reports = folder.reports.fd()});
  programs_.emplace(attempt->program, attempt);
  attempt->started = attempt->told = rt::now();
}

/// The place is free again.
void CommandWork::drop(const AttemptPtr& attempt) {
  const auto there = runs_.find(attempt->trial);
  if (there == runs_.end() || there->second != attempt) return;
  gpus_.give_back(*attempt->gpus);
  programs_.erase(attempt->program);
  runs_.erase(there);
  admit();
}

void CommandWork::turn() {
  for (const tasks::ProgramNews& told : supervisors_.take()) {
    const auto found = programs_.find(told.program);
    if (found == programs_.end()) continue;
    const AttemptPtr attempt = found->second;
    attempt->grown = true;
    if (told.news.over) {
      attempt->over = told.news;
      if (attempt->unwanted) drop(attempt);
    }
    attempt->stir();
  }
  if (!queue_.empty()) admit();
}

/// Hands reports in one after another; false when the trial is to go no further.
rt::Async<bool> CommandWork::hand_in(TrialContext& trial, AttemptPtr attempt,
                                     std::vector<Report> reports) {
  for (Report& report : reports) {
    if (attempt->unwanted) co_return false;
    require_numbers(study_, report);
    const rt::Moment here = rt::now();
    const double took = attempt->program == 0 ? 0 : rt::seconds(here - attempt->told);
    attempt->told = here;
    // Nobody counts a program's FLOPs: what it calls a step is as long as any other.
    trial.outside(1, took);
    if (co_await trial.report(std::move(report)) == Word::stop) co_return false;
  }
  co_return true;
}

rt::Async<void> CommandWork::end_early(AttemptPtr attempt) {
  supervisors_.stop(attempt->program);
  while (!attempt->over) {
    rt::Async<void> waiting = something(attempt);
    co_await std::move(waiting);
  }
}

/// From the start of the program to its end.
rt::Async<void> CommandWork::follow(TrialContext& trial, AttemptPtr attempt,
                                    CommandReports& reports) {
  for (bool over = false; !over;) {
    while (!attempt->grown && !attempt->unwanted) {
      rt::Async<void> waiting = something(attempt);
      co_await std::move(waiting);
    }
    if (attempt->unwanted) co_return;
    attempt->grown = false;
    over = attempt->over.has_value();
    rt::Async<bool> handing = hand_in(trial, attempt, reports.take(over));
    if (!co_await std::move(handing)) co_return;
  }
}

rt::Async<void> CommandWork::run(TrialContext& trial) {
  const TrialCommand command = trial_command(study_, trial.params());
  auto attempt = std::make_shared<Attempt>();
  attempt->trial = trial.trial();
  attempt->resources = trial_resources(study_, trial.params());
  const std::span<const Reported> logged = trial.logged();
  trial.go_on_behind(logged.size());
  trial.when_void([this, attempt] {
    attempt->unwanted = true;
    if (attempt->over) drop(attempt);
    supervisors_.stop(attempt->program);
    attempt->stir();
  });
  queue_.push_back(attempt);
  std::exception_ptr failure;
  try {
    do {
      rt::Async<void> placing = place(attempt);
      co_await std::move(placing);
      if (attempt->unwanted) co_return drop(attempt);
    } while (!has_room(attempt, [] { tasks::require_files(kFiles); }));
    const TrialFolder folder = open_trial_folder(folder_, attempt->trial, trial.params());
    CommandReports reports(study_, folder, logged.empty() ? nullptr : &logged.back());
    rt::Async<bool> earlier = hand_in(trial, attempt, reports.left_over());
    if (co_await std::move(earlier)) {
      while (!has_room(attempt, [&] { start(attempt, command, folder); })) {
        rt::Async<void> placing = place(attempt);
        co_await std::move(placing);
        if (attempt->unwanted) co_return drop(attempt);
      }
      rt::Async<void> following = follow(trial, attempt, reports);
      co_await std::move(following);
    }
    if (!attempt->unwanted) {
      const Ended end = end_of(*attempt);
      const double took = rt::seconds(rt::now() - attempt->told);
      trial.outside(0, took);
      if (end.state == TrialState::failed) throw TrialFailure(end.cause, end.message);
      std::optional<Report> last = reports.closing(measures_of(*attempt));
      require_reports(reports);
      if (last) (void)co_await trial.report(std::move(*last));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if (attempt->program != 0 && !attempt->over) {
    rt::Async<void> ending = end_early(attempt);
    co_await std::move(ending);
  }
  drop(attempt);
  if (failure) std::rethrow_exception(failure);
}

rt::Async<ExportedModel> CommandWork::finish(TrialRow, Lineage) { co_return ExportedModel{}; }

Ended CommandWork::end_of(const Attempt& attempt) {
  const tasks::SupervisorNews& news = *attempt.over;
  if (news.end == tasks::RunEnd::exited && news.status == 0) return {};
  const std::uint64_t before = std::exchange(killed_for_memory_, killed_for_memory());
  return command_end(study_, news, last_log_lines(folder_, attempt.trial, 1),
                     killed_for_memory_ > before);
}

void CommandWork::require_reports(const CommandReports& reports) const {
  const std::string* name = reports.missing();
  if (name == nullptr) return;
  const auto is_it = [&](const Metric& metric) { return metric.name == *name; };
  const auto other = std::ranges::find_if(study_.others, is_it);
  const Metric metric = is_it(study_.metric)           ? study_.metric
                        : other != study_.others.end() ? *other
                                                       : Metric{.name = *name};
  throw TrialFailure(Cause::error,
                     nothing_reported(metric, reports.pending(), reports.no_number(*name)));
}

Metrics CommandWork::measures_of(const Attempt& attempt) const {
  Metrics measures;
  for (const std::string& name : deciding_metrics(study_)) {
    if (name == "exit") measures.emplace_back(name, attempt.over->status);
    if (name == "seconds")
      measures.emplace_back(name, static_cast<double>(attempt.over->took) * 1e-9);
  }
  return measures;
}

std::vector<std::string> CommandWork::last_lines(std::uint64_t trial) const {
  return last_log_lines(folder_, trial, kShownLines);
}

}  // namespace hpo
