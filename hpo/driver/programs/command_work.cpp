#include "hpo/driver/programs/command_work.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/process/no_more.h"
#include "base/text.h"
#include "hpo/driver/programs/command_end.h"
#include "hpo/driver/programs/program_order.h"
#include "runtime/loop.h"

namespace hpo {

namespace {

constexpr std::size_t kShownLines = 10;
constexpr std::size_t kSearchedLines = 50;    ///< of output, for numbers that were not reported
constexpr std::size_t kMostTold = 1'000'000;  ///< reports that wait for a decision
constexpr int kFiles = 12;                    ///< that are open at once while a program starts

}  // namespace

CommandWork::CommandWork(const StudySpec& study, base::Path folder, bool on_agents)
    : study_(study),
      folder_(std::move(folder)),
      on_agents_(on_agents),
      driver_(static_cast<std::uint64_t>(base::wall_micros())),
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
  } catch (const base::NoMore& lack) {
    if (runs_.size() <= 1) throw;
    if (places_.lack(runs_.size() - 1, base::now()))
      base::warn(base::cat(lack.what(), "; continuing with fewer programs at once"));
  }
  give_place_back(attempt);
  queue_.push_front(attempt);
  return false;
}

/// Of an attempt whose program has not begun or is over. Without effect on one that has none.
void CommandWork::give_place_back(const AttemptPtr& attempt) {
  if (!attempt->gpus) return;
  gpus_.give_back(*std::exchange(attempt->gpus, std::nullopt));
  runs_.erase(attempt->trial);
}

/// Places for those that wait: at most `parallel` at once, and a trial's next attempt only when
/// nothing of the one before is left.
void CommandWork::admit() {
  const std::size_t most = places_.most(base::now());
  for (auto next = queue_.begin(); next != queue_.end();) {
    const AttemptPtr attempt = *next;
    if (attempt->unwanted) {
      next = queue_.erase(next);
      continue;
    }
    if (runs_.size() >= most) return;
    if (!runs_.contains(attempt->trial))
      attempt->gpus = on_agents_ ? GpuShare::Allocation{} : gpus_.take(attempt->resources);
    if (!attempt->gpus) {
      ++next;
      continue;
    }
    runs_.emplace(attempt->trial, attempt);
    next = queue_.erase(next);
    attempt->stir();
  }
}

void CommandWork::start(const AttemptPtr& attempt, const TrialCommand& command) {
  attempt->looked = base::now();
  attempt->late.begin(attempt->looked);
  if (on_agents_) return start_on_agent(attempt);
  if (study_.library == Library::wandb)
    attempt->runs.emplace(study_, attempt->params, *attempt->folder);
  std::optional<std::string> gpus;
  if (gpus_.count() > 0) gpus = gpus_.names(*attempt->gpus);
  attempt->program = supervisors_.start(
      program_order(study_, command, *attempt->folder, attempt->resources, gpus));
  programs_.emplace(attempt->program, attempt);
}

void CommandWork::start_on_agent(const AttemptPtr& attempt) {
  const bool with_files = files_travel_ && attempt->folder->has_checkpoints;
  attempt->call.emplace(base::cat("program of trial ", attempt->trial));
  attempt->receiver.reset();
  attempt->copied = false;
  const rt::Group::Scope scope = attempt->call->enter();
  rt::Value<TrialFiles> left;
  const rt::Value<ProgramEnd> end = call_program(
      {.trial = attempt->trial,
       .params = attempt->params,
       .cpus = attempt->resources.cpus,
       .driver = driver_,
       .start = ++starts_,
       .has_checkpoints = attempt->folder->has_checkpoints,
       .has_files = with_files},
      rt::value(with_files ? read_trial_files(attempt->folder->path, false) : TrialFiles{}), left);
  const std::weak_ptr<Attempt> heard = attempt;
  attempt->listener.emplace(end, [this, heard](std::string_view text) {
    const AttemptPtr of = heard.lock();
    if (of && of->call && !text.empty())
      hear(of, static_cast<ProgramWord>(text.front()), text.substr(1));
  });
  (void)rt::spawn(await_end(attempt, end, left));
}

/// The end of a program on an agent, in the words of a supervisor here.
rt::Async<void> CommandWork::await_end(AttemptPtr attempt, rt::Value<ProgramEnd> value,
                                       rt::Value<TrialFiles> left) {
  tasks::SupervisorNews over{.over = true, .end = base::ProcessEnd::lost};
  try {
    const ProgramEnd end = co_await value;
    over.end = end.end;
    over.status = end.status;
    over.took = end.took;
    over.left_out = end.left_out;
    over.memory = end.memory;
    attempt->starved = end.starved;
    attempt->interrupted = end.interrupted;
    files_travel_ = files_travel_ || end.wants_files;
    if (end.apart) take_files(*attempt, co_await left);
  } catch (...) {
    if (!attempt->failure && !attempt->interrupted) attempt->failure = std::current_exception();
  }
  attempt->listener.reset();
  hear(attempt, over);
}

/// What the program left in its folder on an agent.
void CommandWork::take_files(const Attempt& attempt, const TrialFiles& left) {
  write_trial_files(attempt.folder->path, left);
  if (left.left_out > 0)
    base::warn(base::cat("trial ", attempt.trial, ": ", left.left_out, " of its files did not come",
                         " from its agent: they could not be read, or are more than 1 GiB"));
}

/// Without effect on a program that was not started or is over.
void CommandWork::stop(Attempt& attempt) {
  supervisors_.stop(attempt.program);
  if (attempt.call) attempt.call->cancel();
}

namespace {

std::exception_ptr failed_by(std::string message) {
  return std::make_exception_ptr(TrialFailure(Cause::error, std::move(message)));
}

}  // namespace

void CommandWork::Attempt::read() {
  const base::Moment here = base::now();
  untold += base::seconds(here - std::exchange(looked, here));
  std::vector<Report> found;
  try {
    if (runs && !failure && !unwanted) runs->read(over.has_value());
    if (!failure && !unwanted) reports.take(*folder, over.has_value(), found);
  } catch (...) {
    failure = std::current_exception();
  }
  late.came(found.size(), here);
  for (Report& report : found) told.push_back({std::move(report), std::exchange(untold, 0)});
  if (!failure && told.size() > kMostTold)
    failure =
        failed_by(base::cat("reported ", told.size(), " times before the first report was answered",
                            ", expected at most ", kMostTold));
  if (!failure && over && over->left_out > 0 && reports.read_output())
    failure = failed_by(base::cat("metric.regex did not see ", over->left_out,
                                  " bytes of output, expected at most ", kMostOutput, " in all"));
  if (reports.read_output()) {
    log.was_read(folder->log, reports.output_read());
    if (over) log.finish(folder->log);
  }
  if (!over) return;
  receiver.reset();
  runs.reset();
  folder.reset();
}

/// A program's place and files are free again as soon as it is gone and what it reported was read:
/// what its trial waits for may take long, and others may wait for them meanwhile.
void CommandWork::hear(const AttemptPtr& attempt, const tasks::SupervisorNews& news) {
  if (news.over) attempt->over = news;
  attempt->read();
  if (attempt->failure && !attempt->over) stop(*attempt);
  if (attempt->over) {
    say_late(*attempt);
    attempt->call.reset();
    give_place_back(attempt);
  }
  attempt->stir();
}

/// Once: one program is as good as another of the same study.
void CommandWork::say_late(const Attempt& attempt) {
  const base::Duration took(attempt.over->took);
  if (said_late_ || study_.early_stop.kind == "none" || !attempt.late.are_late(took)) return;
  said_late_ = true;
  base::warn(late_text(study_, attempt.trial, attempt.late.count(), took));
}

/// One that begins again, because its agent was lost, begins where its checkpoints say.
void CommandWork::hear(const AttemptPtr& attempt, ProgramWord word, std::string_view bytes) {
  if (attempt->over) return;
  if (word == ProgramWord::begun || word == ProgramWord::resumed) {
    hear(attempt, tasks::SupervisorNews{});
    if (!attempt->over) begin_again(attempt, word == ProgramWord::resumed);
    return;
  }
  try {
    if (word != ProgramWord::more) {
      if (!attempt->receiver) attempt->receiver.emplace(*attempt->folder);
      if (attempt->receiver->take(word, bytes)) attempt->copied = true;
    }
  } catch (...) {
    if (!attempt->failure) attempt->failure = std::current_exception();
  }
  if (word != ProgramWord::checkpoint) hear(attempt, tasks::SupervisorNews{});
}

/// A program begins on an agent. Where its call brought older checkpoints along than there are by
/// now, it is stopped, and called anew.
void CommandWork::begin_again(const AttemptPtr& attempt, bool with_checkpoints) {
  if (attempt->copied) {
    attempt->interrupted = true;
    return stop(*attempt);
  }
  if (attempt->receiver) begin_reports(*attempt->folder);
  attempt->receiver.reset();
  attempt->reports.begin(with_checkpoints);
  attempt->looked = base::now();
  attempt->late.begin(attempt->looked);
}

void CommandWork::hear(const tasks::ProgramNews& news) {
  const auto found = programs_.find(news.program);
  if (found == programs_.end()) return;
  const AttemptPtr attempt = found->second;
  if (news.news.over) {
    const std::uint64_t before = std::exchange(killed_for_memory_, killed_for_memory());
    attempt->starved = killed_for_memory_ > before;
    programs_.erase(found);
  }
  hear(attempt, news.news);
}

void CommandWork::turn() {
  const base::Moment here = base::now();
  for (const tasks::ProgramNews& news : supervisors_.take()) {
    if (may_be_of_the_job(news.news))
      unjudged_.push_back({news, here + kJobSignal});
    else
      hear(news);
  }
  for (; !unjudged_.empty() && unjudged_.front().due <= here; unjudged_.pop_front())
    hear(unjudged_.front().news);
  if (!queue_.empty()) admit();
}

/// Hands in what was read; false when the trial is to go no further.
rt::Async<bool> CommandWork::hand_in(TrialContext& trial, AttemptPtr attempt) {
  while (!attempt->told.empty() && !attempt->unwanted) {
    Told next = std::move(attempt->told.front());
    attempt->told.pop_front();
    require_numbers(study_, next.report);
    // Nobody counts a program's FLOPs: what it calls a step is as long as any other.
    trial.outside(1, next.seconds);
    if (co_await trial.report(std::move(next.report)) == Decision::stop) co_return false;
  }
  co_return !attempt->unwanted;
}

rt::Async<void> CommandWork::end_early(AttemptPtr attempt) {
  stop(*attempt);
  while (!attempt->over) {
    rt::Async<void> waiting = something(attempt);
    co_await std::move(waiting);
  }
}

/// A place and a folder, unless it is not wanted any more.
rt::Async<void> CommandWork::find_folder(TrialContext& trial, AttemptPtr attempt) {
  queue_.push_back(attempt);
  do {
    rt::Async<void> placing = place(attempt);
    co_await std::move(placing);
    if (attempt->unwanted) co_return;
  } while (!has_room(attempt, [] { base::require_files(kFiles); }));
  attempt->folder = open_trial_folder(folder_, attempt->trial, trial.params());
}

/// Begins with what earlier attempts left to hand in, without a place: the decision on it may wait
/// for trials that have none. False when the trial is to go no further.
rt::Async<bool> CommandWork::catch_up(TrialContext& trial, AttemptPtr attempt) {
  rt::Async<void> finding = find_folder(trial, attempt);
  co_await std::move(finding);
  if (attempt->unwanted) co_return false;
  for (Report& report : attempt->reports.left_over(*attempt->folder))
    attempt->told.push_back({std::move(report)});
  if (attempt->told.empty()) co_return true;
  attempt->folder.reset();
  give_place_back(attempt);
  admit();
  rt::Async<bool> handing = hand_in(trial, attempt);
  if (!co_await std::move(handing)) co_return false;
  rt::Async<void> again = find_folder(trial, attempt);
  co_await std::move(again);
  co_return !attempt->unwanted;
}

/// From the start of the program to its end; false when the trial is to go no further.
rt::Async<bool> CommandWork::follow(TrialContext& trial, AttemptPtr attempt) {
  for (;;) {
    rt::Async<bool> handing = hand_in(trial, attempt);
    if (!co_await std::move(handing)) co_return false;
    if (attempt->failure) std::rethrow_exception(attempt->failure);
    if (attempt->over) co_return true;
    rt::Async<void> waiting = something(attempt);
    co_await std::move(waiting);
  }
}

rt::Async<bool> CommandWork::run_program(TrialContext& trial, AttemptPtr attempt,
                                         const TrialCommand& command) {
  for (;;) {
    begin_log(*attempt->folder);
    attempt->reports.begin(attempt->folder->has_checkpoints);
    while (!has_room(attempt, [&] { start(attempt, command); })) {
      rt::Async<void> placing = place(attempt);
      co_await std::move(placing);
      if (attempt->unwanted) co_return false;
    }
    rt::Async<bool> following = follow(trial, attempt);
    const bool further = co_await std::move(following);
    if (!further || !std::exchange(attempt->interrupted, false)) co_return further;
    attempt->over.reset();
    attempt->log = LongLog(study_.limits.log);
    rt::Async<void> again = find_folder(trial, attempt);
    co_await std::move(again);
    if (attempt->unwanted) co_return false;
  }
}

rt::Async<void> CommandWork::run(TrialContext& trial) {
  const TrialCommand command = trial_command(study_, trial.params());
  const std::span<const Reported> logged = trial.logged();
  const auto attempt = std::make_shared<Attempt>(
      trial.trial(), trial.params(), trial_resources(study_, trial.params()),
      CommandReports(study_, logged.empty() ? nullptr : &logged.back()),
      LongLog(study_.limits.log));
  trial.go_on_behind(logged.size());
  trial.when_void([this, attempt] {
    attempt->unwanted = true;
    stop(*attempt);
    attempt->stir();
  });
  std::exception_ptr failure;
  try {
    rt::Async<bool> catching_up = catch_up(trial, attempt);
    bool further = co_await std::move(catching_up);
    if (further) {
      rt::Async<bool> running = run_program(trial, attempt, command);
      further = co_await std::move(running);
    }
    if (further) {
      trial.outside(0, attempt->untold);
      trial.took_memory(attempt->over->memory);
      const Ended end = end_of(*attempt, command.path);
      if (end.state == TrialState::failed) throw TrialFailure(end.cause, end.message);
      const double took = static_cast<double>(attempt->over->took) * 1e-9;
      std::vector<std::string> printed;
      if (attempt->reports.missing() != nullptr)
        printed = last_log_lines(folder_, attempt->trial, kSearchedLines);
      std::optional<Report> last =
          closing_report(study_, attempt->reports, attempt->over->status, took, printed);
      if (last) (void)co_await trial.report(std::move(*last));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  if ((attempt->program != 0 || attempt->call) && !attempt->over) {
    rt::Async<void> ending = end_early(attempt);
    co_await std::move(ending);
  }
  give_place_back(attempt);
  admit();
  if (failure) std::rethrow_exception(failure);
}

rt::Async<ExportedModel> CommandWork::finish(TrialRow, Lineage, const TrialTable&) {
  co_return ExportedModel{};
}

Ended CommandWork::end_of(const Attempt& attempt, const std::string& path) const {
  const tasks::SupervisorNews& news = *attempt.over;
  if (news.end == base::ProcessEnd::exited && news.status == 0) return {};
  return command_end(study_, path, news, last_log_lines(folder_, attempt.trial, kShownLines),
                     attempt.starved);
}

std::vector<std::string> CommandWork::last_lines(std::uint64_t trial) const {
  return last_log_lines(folder_, trial, kShownLines);
}

}  // namespace hpo
