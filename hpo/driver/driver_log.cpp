// The driver and its log: replay, commit, and telling the observer what is on disk.

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "hpo/driver/device_use.h"
#include "hpo/driver/driver.h"
#include "hpo/driver/reached.h"
#include "hpo/log/json.h"
#include "hpo/log/study_lock.h"

namespace hpo {

namespace {

/// Events that may share a commit before it is done without waiting for more.
constexpr std::size_t kCommitEvents = 512;

/// How old the counters that read verbs show may get.
constexpr base::Duration kNoteEvery = std::chrono::milliseconds(500);

std::string json_of(const WorkCounters& work) {
  JsonWriter json;
  json.begin_object().field("tasks", work.tasks).field("epochs", work.epochs);
  json.field("distinct_epochs", work.distinct_epochs)
      .field("datasets_loaded", work.datasets_loaded);
  json.field("overhead_us_per_task", work.overhead_us_per_task).end_object();
  return std::move(json).text();
}

/// The networks of a trial that has not ended which its going on may need
/// (Driver::keep_checkpoints).
std::vector<base::Key> networks_of(const std::vector<Reported>& reports, const Lineage& lineage) {
  constexpr std::size_t kKept = 2;
  std::vector<base::Key> keys;
  const auto keep = [&](const std::string& checkpoint) {
    const auto key = keys.size() < kKept ? base::Key::from_hex(checkpoint) : std::nullopt;
    if (key) keys.push_back(*key);
  };
  for (auto at = reports.rbegin(); at != reports.rend(); ++at) {
    if (keys.size() == kKept || at->epochs <= lineage.back().from) break;
    keep(at->checkpoint);
  }
  for (auto at = lineage.rbegin() + 1; at != lineage.rend(); ++at) keep(at->network.key);
  if (const auto shown = base::Key::from_hex(lineage.back().network.key)) keys.push_back(*shown);
  return keys;
}

}  // namespace

void Driver::replay() {
  log_.replay([this](const Event& event) { observe(event); });
  if (auto text = log_.noted("work"); text && !text->empty()) {
    Json json = Json::parse(*text);
    work_before_.tasks = json.at("tasks").integer();
    work_before_.distinct_epochs = json.at("distinct_epochs").integer();
  }
  if (auto text = log_.noted("active_seconds"))
    seconds_before_ = base::parse_double(*text).value_or(0);
}

void Driver::observe(const Event& event) {
  now_ = event.vtime;
  if (const auto* opened = std::get_if<Opened>(&event.body)) {
    arithmetic_before_ = opened->arithmetic;
    begin_again();
  } else if (std::holds_alternative<Changed>(event.body)) {
    finished_.reset();
  } else if (const auto* end = std::get_if<Finished>(&event.body)) {
    finished_ = *end;
  } else if (const auto* exported = std::get_if<Exported>(&event.body)) {
    exported_ = event.trial;
    exported_file_ = exported->file;
  } else if (std::holds_alternative<Noted>(event.body)) {
    return;
  } else {
    observe_trial(event);
  }
}

void Driver::observe_trial(const Event& event) {
  std::uint64_t trial = event.trial.value();
  if (const auto* report = std::get_if<Reported>(&event.body)) {
    if (exported_ == trial) exported_.reset();
    // The log's word stands; the rule is asked so that it knows what it would know.
    (void)search_.word_on(trial, *report);
    Past& past = pasts_.at(trial);
    past.reports.push_back(*report);
    if (report->word == Word::pause) {
      stand(trial, Stands::waits);
      timeline_.leave(trial);
    } else {
      timeline_.restart(trial, event.vtime);
    }
  } else if (const auto* round = std::get_if<Adapted>(&event.body)) {
    Past& past = pasts_.at(trial);
    past.rounds.push_back({past.reports.size(), *round});
    timeline_.restart(trial, event.vtime);
  } else if (std::holds_alternative<Replaced>(event.body)) {
    stand(trial, Stands::released);
  } else if (std::holds_alternative<Resumed>(event.body)) {
    stand(trial, Stands::runs);
    timeline_.restart(trial, event.vtime);
  } else if (std::holds_alternative<Ended>(event.body)) {
    forget(trial);
    timeline_.leave(trial);
  } else {
    stand(trial, Stands::runs);
    timeline_.restart(trial, event.vtime);
  }
  search_.tell(trial, event.body);
}

bool Driver::begin_again() {
  if (!finished_ || finished_->why != Finish::first) return false;
  finished_.reset();
  first_ = search_.created();
  return true;
}

void Driver::open_session() {
  setup_.observer.sweep_started(study_.metric, log_.trials().counts().all(), log_.epoch() > 1);
  if (!arithmetic_before_.empty() && arithmetic_before_ != setup_.arithmetic) {
    setup_.observer.note(base::cat("the arithmetic changed from \"", arithmetic_before_, "\" to \"",
                                   setup_.arithmetic,
                                   "\": results from here on may differ in the last bits"));
  }
  if (begin_again()) setup_.observer.note("the first trial failed last time: trying another one");
  Holder self = Holder::self();
  emit({}, Opened{.host = self.host,
                  .pid = self.pid,
                  .build = TRELLIS_VERSION,
                  .arithmetic = setup_.arithmetic,
                  .workers = setup_.runtime.workers()});
  for (const Changed& change : setup_.changes) {
    setup_.observer.note(base::cat(change.key, " is now ", change.to, " (was ", change.from, ")"));
    emit({}, change);
    finished_.reset();
  }
  log_.note("trial_limit", std::to_string(study_.limits.trials.value_or(0)));
  log_.note(kByTimeFact, ends_by_time(study_) ? "yes" : "");
  commit();
}

void Driver::emit(std::optional<std::uint64_t> trial, EventBody body, double took) {
  if (!waits_since_) waits_since_ = base::now();
  if (exported_ == trial && std::holds_alternative<Reported>(body)) exported_.reset();
  log_.append({.vtime = now_, .trial = trial, .body = std::move(body), .took = took});
  if (!trial) return;
  if (const auto past = pasts_.find(*trial); past != pasts_.end()) past->second.kept.reset();
}

bool Driver::commit_is_due() const {
  return waits_since_ &&
         (log_.pending() >= kCommitEvents || base::now() - *waits_since_ >= setup_.commit_delay);
}

void Driver::note_work() {
  noted_ = base::now();
  log_.note("work", json_of(work()));
  log_.note(kWorkersFact, workers_json(worker_infos(setup_.runtime.summary())));
  log_.note("active_seconds", base::format_double(active_seconds()));
}

/// The last two checkpoints of each trial that has not ended, of its network's life before it too:
/// the newest, and what is left should that one turn out to be damaged. And the network that its
/// metrics are of, which lies before them with `take: best`; of the best trial until it is written.
void Driver::keep_checkpoints() {
  if (!setup_.store) return;
  std::vector<base::Key> keys;
  for (auto& [trial, past] : pasts_) {
    if (!past.kept) past.kept = networks_of(past.reports, log_.trials().lineage(trial));
    keys.insert(keys.end(), past.kept->begin(), past.kept->end());
  }
  if (const TrialRow* best = log_.trials().best(); best && exported_ != best->trial) {
    const Checkpoint& network = log_.trials().lineage(best->trial).back().network;
    if (const auto key = base::Key::from_hex(network.key)) keys.push_back(*key);
  }
  checkpoints_.keep(std::move(keys));
}

void Driver::commit(base::Durability facts) {
  keep_checkpoints();
  if (base::now() - noted_ >= kNoteEvery) note_work();
  waits_since_.reset();
  const bool has_events = log_.pending() > 0;
  for (const Event& event : log_.commit(has_events ? base::Durability::durable : facts))
    announce(event);
  show_progress();
}

void Driver::announce(const Event& event) {
  if (!event.trial) return;
  const TrialRow& row = log_.trials().row(*event.trial);
  if (std::holds_alternative<Created>(event.body)) {
    setup_.observer.trial_started(row);
  } else if (std::holds_alternative<Reported>(event.body)) {
    setup_.observer.trial_reported(row);
  } else if (const auto* round = std::get_if<Adapted>(&event.body)) {
    setup_.observer.trial_adapted(row, *round);
  } else if (const auto* replaced = std::get_if<Replaced>(&event.body)) {
    setup_.observer.trial_replaced(row, *replaced);
  } else if (const auto* noted = std::get_if<Noted>(&event.body)) {
    setup_.observer.note(base::cat("trial ", row.trial, ": ", noted->message));
  } else if (const auto* again = std::get_if<Retried>(&event.body)) {
    setup_.observer.note(base::cat("trial ", row.trial, " begins again (attempt ", row.attempts,
                                   "): ", name_of(again->cause), again->message.empty() ? "" : ": ",
                                   again->message));
  } else if (std::holds_alternative<Ended>(event.body)) {
    setup_.observer.trial_ended(row);
  }
}

void Driver::show_progress() {
  shown_ = base::now();
  const bool by_time = finished_ ? finished_->why == Finish::time : ends_by_time(study_);
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
  work.epochs = 0;
  for (const TrialRow& row : log_.trials().rows()) work.epochs += row.epochs;
  // What was run and is not reported yet was asked for, too.
  work.epochs = std::max(work.epochs * setup_.work.networks(), work.distinct_epochs);
  work.overhead_us_per_task = summary.overhead_us_per_task;
  return work;
}

}  // namespace hpo
