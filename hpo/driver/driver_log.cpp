// The driver and its log: replay, commit, and telling the observer what is on disk.

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/driver/announce.h"
#include "hpo/driver/device_use.h"
#include "hpo/driver/driver.h"
#include "hpo/log/study_lock.h"
#include "hpo/search/reached.h"

namespace hpo {

namespace {

/// Events that may share a commit before it is done without waiting for more.
constexpr std::size_t kCommitEvents = 512;

/// How old the counters that read verbs show may get.
constexpr base::Duration kNoteEvery = std::chrono::milliseconds(500);

std::string json_of(const WorkCounters& work) {
  base::JsonWriter json;
  json.begin_object().field("tasks", work.tasks).field("epochs", work.epochs);
  json.field("distinct_epochs", work.distinct_epochs)
      .field("datasets_loaded", work.datasets_loaded);
  json.field("overhead_us_per_task", work.overhead_us_per_task);
  json.field("tree_seconds", work.tree_seconds);
  json.field("visitors", work.visitors).field("visitor_seconds", work.visitor_seconds).end_object();
  return std::move(json).text();
}

}  // namespace

void Driver::replay() {
  log_.replay([this](const Event& event) {
    now_ = event.vtime;
    if (const auto* opened = std::get_if<Opened>(&event.body))
      arithmetic_before_ = opened->arithmetic;
    machine_.replay(event);
    remember(event.trial, event.body);
    const bool told =
        std::holds_alternative<Exported>(event.body) || std::holds_alternative<Noted>(event.body);
    if (!event.trial || told) return;
    if (machine_.runs(*event.trial)) {
      timeline_.restart(*event.trial, event.vtime);
    } else {
      timeline_.leave(*event.trial);
    }
  });
  if (auto text = log_.noted("work"); text && !text->empty()) {
    base::Json json = base::Json::parse(*text);
    work_before_.tasks = json.at("tasks").integer();
    work_before_.distinct_epochs = json.at("distinct_epochs").integer();
    if (const base::Json* seconds = json.find("tree_seconds"))
      work_before_.tree_seconds = seconds->number();
    if (const base::Json* visitors = json.find("visitors")) {
      work_before_.visitors = visitors->integer();
      work_before_.visitor_seconds = json.at("visitor_seconds").number();
    }
  }
  if (auto text = log_.noted("active_seconds"))
    seconds_before_ = base::parse_double(*text).value_or(0);
}

void Driver::remember(std::optional<std::uint64_t> trial, const EventBody& event) {
  if (!trial) return;
  if (const auto* exported = std::get_if<Exported>(&event)) {
    exported_ = trial;
    exported_file_ = exported->file;
  } else if (const auto* end = std::get_if<Ended>(&event)) {
    auto past = pasts_.extract(*trial);
    if (replays_ && end->state == TrialState::failed) failed_pasts_.insert(std::move(past));
  } else if (std::holds_alternative<Reopened>(event)) {
    pasts_.insert(failed_pasts_.extract(*trial));
  } else if (!std::holds_alternative<Noted>(event)) {
    Past& past = pasts_[*trial];
    past.kept.reset();
    if (const auto* round = std::get_if<Adapted>(&event))
      past.rounds.push_back({past.reports.size(), *round});
    const auto* report = std::get_if<Reported>(&event);
    if (report == nullptr) return;
    past.reports.push_back(*report);
    if (exported_ == *trial) exported_.reset();
  }
}

void Driver::open_session() {
  setup_.observer.sweep_started(study_.metric, log_.trials().counts().all(), log_.epoch() > 1);
  if (!arithmetic_before_.empty() && arithmetic_before_ != setup_.arithmetic) {
    setup_.observer.note(base::cat("the arithmetic changed from \"", arithmetic_before_, "\" to \"",
                                   setup_.arithmetic,
                                   "\": results from here on may differ in the last bits"));
  }
  const bool was_cut_short = machine_.begins_again();
  if (was_cut_short && !setup_.retry_failed)
    setup_.observer.note("the first trial failed last time: trying another one");
  Holder self = Holder::self();
  emit({}, Opened{.host = self.host,
                  .pid = self.pid,
                  .build = TRELLIS_VERSION,
                  .arithmetic = setup_.arithmetic,
                  .workers = setup_.runtime.workers()});
  bool retries = false;
  for (const Changed& change : setup_.changes) {
    setup_.observer.note(base::cat(change.key, " is now ", change.to, " (was ", change.from, ")"));
    emit({}, change);
    retries = retries || change.key == "retry";
  }
  if (was_cut_short) reopen_cut_short();
  if (setup_.retry_failed) reopen_failed(*setup_.retry_failed);
  if (retries) retry_failed();
  failed_pasts_.clear();
  replays_ = false;
  log_.note("trial_limit", std::to_string(study_.limits.trials.value_or(0)));
  log_.note(kByTimeFact, ends_by_time(study_) ? "yes" : "");
  commit();
}

/// What ends the study all the same, so that nothing that failed runs again.
std::optional<Finished> Driver::over_all_the_same() const {
  const auto end = reached(study_.limits, log_.trials());
  return end ? end : out_of_time();
}

/// What ran when the first trial failed did not fail itself. Without a word: it is as if it had
/// never ended.
void Driver::reopen_cut_short() {
  std::vector<std::uint64_t> cut;
  for (const TrialRow& row : log_.trials().rows()) {
    if (row.state == TrialState::failed && row.message == kEndedWithFirst) cut.push_back(row.trial);
  }
  for (const std::uint64_t trial : cut) emit(trial, Reopened{Cause::killed});
}

/// A policy that has changed holds for what has failed already, whose attempts count.
void Driver::retry_failed() {
  if (over_all_the_same()) return;
  std::vector<std::pair<std::uint64_t, Reopened>> failed;
  for (const TrialRow& row : log_.trials().rows()) {
    if (row.state == TrialState::failed && machine_.retries(row.cause, row.attempts))
      failed.emplace_back(row.trial, Reopened{row.cause, row.attempts});
  }
  if (failed.empty()) return;
  setup_.observer.note(base::cat("running ", base::counted(failed.size(), "failed trial"),
                                 " again: retry in the study file now covers ",
                                 failed.size() > 1 ? "them" : "it"));
  for (const auto& [trial, reopened] : failed) emit(trial, reopened);
}

/// Before anything else of the session: what follows then depends on nothing but the log.
void Driver::reopen_failed(Cause cause) {
  if (const auto end = over_all_the_same())
    return setup_.observer.note("failed trials stay as they are: " + end->message);
  std::vector<std::pair<std::uint64_t, Reopened>> failed;
  for (const TrialRow& row : log_.trials().rows()) {
    const bool is_meant = cause == Cause::none || row.cause == cause;
    if (row.state == TrialState::failed && is_meant)
      failed.emplace_back(row.trial, Reopened{row.cause});
  }
  const std::string count =
      failed.empty() ? "no failed trial" : base::counted(failed.size(), "failed trial");
  setup_.observer.note(base::cat(failed.empty() ? "" : "running ", count,
                                 cause == Cause::none ? "" : base::cat(" (", name_of(cause), ")"),
                                 failed.empty() ? " to run" : "", " again"));
  for (const auto& [trial, reopened] : failed) emit(trial, reopened);
}

void Driver::emit(std::optional<std::uint64_t> trial, EventBody event, const Real& real) {
  if (!waits_since_) waits_since_ = base::now();
  machine_.apply(trial, event);
  remember(trial, event);
  log_.append({.vtime = now_, .trial = trial, .body = std::move(event), .real = real});
}

bool Driver::commit_is_due() const {
  if (log_.fenced()) return true;  // which says so
  return waits_since_ &&
         (log_.pending() >= kCommitEvents || base::now() - *waits_since_ >= setup_.commit_delay);
}

void Driver::note_work() {
  noted_ = base::now();
  log_.note("work", json_of(work()));
  const std::vector<WorkerInfo> workers = worker_infos(setup_.runtime.summary());
  const std::vector<NodeInfo> nodes = node_infos();
  log_.note(kWorkersFact, workers_json(workers));
  if (!nodes.empty() || log_.noted(kNodesFact)) log_.note(kNodesFact, nodes_json(nodes));
  setup_.observer.devices(workers, nodes);
  log_.note("active_seconds", base::format_double(active_seconds()));
  if (session_seconds() >= use_due_) note_use();
}

/// All of a session's rows are written each time, so the later the more rarely: a session of a day
/// writes them eighty times. What a session that dies has not written is its last tenth.
void Driver::note_use() {
  constexpr double kLater = 1.1;
  use_due_ = kLater * session_seconds() + kUseFirst;
  if (study_.runs_command) return;  // programs are no tasks
  log_.note_use(session_use(setup_.runtime.use(), worker_infos(setup_.runtime.summary())));
}

/// Of each trial that has not ended, and of the best trial until it is written.
void Driver::keep_checkpoints() {
  if (!setup_.store) return;
  std::vector<base::Key> keys;
  for (auto& [trial, past] : pasts_) {
    if (!past.kept) past.kept = kept_networks(past.reports, log_.trials().lineage(trial));
    keys.insert(keys.end(), past.kept->begin(), past.kept->end());
  }
  if (const TrialRow* best = log_.trials().best(); best && exported_ != best->trial) {
    const Checkpoint& network = log_.trials().lineage(best->trial).back().network;
    if (const auto key = base::Key::from_hex(network.key)) keys.push_back(*key);
  }
  checkpoints_.keep(std::move(keys));
}

/// Why the study ends with its first trial is said once, at its end.
bool Driver::is_said_by_end(const Event& event) const {
  const auto* end = std::get_if<Ended>(&event.body);
  if (end == nullptr || !finished() || finished()->why != Finish::first) return false;
  return event.trial == machine_.first() || end->message == kEndedWithFirst;
}

void Driver::commit(base::Durability facts) {
  keep_checkpoints();
  if (base::now() - noted_ >= kNoteEvery) note_work();
  waits_since_.reset();
  const bool has_events = log_.pending() > 0;
  for (const Event& event : log_.commit(has_events ? base::Durability::durable : facts)) {
    if (event.trial && !is_said_by_end(event))
      announce(event, log_.trials().row(*event.trial), setup_.observer);
  }
  show_progress();
}

void Driver::show_progress() {
  shown_ = base::now();
  const bool by_time = finished() ? finished()->why == Finish::time : ends_by_time(study_);
  Progress progress{.counts = log_.trials().counts(),
                    .trial_limit = study_.limits.trials.value_or(0),
                    .best = log_.trials().best_so_far(by_time),
                    .by_time = by_time,
                    .seconds = session_seconds()};
  setup_.observer.progress(progress);
}

WorkCounters Driver::work() const {
  rt::Summary summary = setup_.runtime.summary();
  WorkCounters work = setup_.work.counters();
  work.tasks = work_before_.tasks + static_cast<std::int64_t>(summary.tasks);
  work.distinct_epochs += work_before_.distinct_epochs;
  work.tree_seconds += work_before_.tree_seconds;
  work.visitors += work_before_.visitors;
  work.visitor_seconds += work_before_.visitor_seconds;
  work.epochs = 0;
  for (const TrialRow& row : log_.trials().rows()) work.epochs += row.epochs;
  // What was run and is not reported yet was asked for, too.
  work.epochs = std::max(work.epochs * setup_.work.networks(), work.distinct_epochs);
  work.overhead_us_per_task = summary.overhead_us_per_task;
  return work;
}

}  // namespace hpo
