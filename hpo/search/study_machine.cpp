#include "hpo/search/study_machine.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "hpo/search/reached.h"

namespace hpo {

StudyMachine::StudyMachine(MachineSetup setup)
    : study_(setup.study),
      trials_(setup.trials),
      reshapes_(std::move(setup.reshapes)),
      endless_(setup.endless),
      search_(study_, setup.known, setup.around) {}

void StudyMachine::stand(std::uint64_t trial, Stands where) {
  Open& open = open_[trial];
  if (open.stands == Stands::runs) --running_;
  if (open.stands == Stands::released) released_.erase(trial);
  open.stands = where;
  if (where == Stands::runs) ++running_;
  if (where == Stands::released) released_.insert(trial);
}

void StudyMachine::forget(std::uint64_t trial) {
  stand(trial, Stands::waits);
  open_.erase(trial);
}

bool StudyMachine::runs(std::uint64_t trial) const {
  const auto found = open_.find(trial);
  return found != open_.end() && found->second.stands == Stands::runs;
}

/// A value that was told together with its trial's end, at one moment, is no report at a step that
/// others are compared by.
void StudyMachine::answer_before(const Event& event) {
  if (!unanswered_) return;
  const bool ends_it =
      std::holds_alternative<Ended>(event.body) && event.trial == unanswered_->first;
  if (ends_it && event.vtime == unanswered_at_) unanswered_.reset();
  answer_replayed();
}

void StudyMachine::answer_replayed() {
  if (!unanswered_) return;
  (void)search_.decision_on(unanswered_->first, unanswered_->second);
  unanswered_.reset();
}

void StudyMachine::replay(const Event& event) {
  answer_before(event);
  apply(event.trial, event.body);
  const auto* report = std::get_if<Reported>(&event.body);
  if (report == nullptr) return;
  // The log's decision stands; the rule is asked so that it knows what it would know.
  unanswered_.emplace(event.trial.value(), *report);
  unanswered_at_ = event.vtime;
  if (!study_.is_asked) answer_replayed();
}

Decision StudyMachine::answer(std::uint64_t trial, const Reported& report) {
  answer_replayed();
  const Decision decision = report.unseen ? Decision::go : search_.decision_on(trial, report);
  return report.over ? Decision::go : decision;
}

void StudyMachine::apply(std::optional<std::uint64_t> trial, const EventBody& event) {
  answer_replayed();
  if (std::holds_alternative<Opened>(event)) {
    if (!begins_again()) return;
    finished_.reset();
    first_ = search_.created();
  } else if (std::holds_alternative<Changed>(event)) {
    finished_.reset();
  } else if (const auto* reopened = std::get_if<Reopened>(&event)) {
    reopen(trial.value(), *reopened);
  } else if (const auto* finished = std::get_if<Finished>(&event)) {
    finished_ = *finished;
  } else if (trial && !std::holds_alternative<Exported>(event) &&
             !std::holds_alternative<Noted>(event)) {
    take(*trial, event);
    search_.tell(*trial, event);
  }
}

void StudyMachine::reopen(std::uint64_t trial, const Reopened& event) {
  finished_.reset();
  stage_ = Stage::limits;
  quiet_ = true;
  first_ = std::min(first_, trial);
  if (last_ && last_->first == trial) last_.reset();
  stand(trial, Stands::released);
  open_.at(trial).attempts = event.attempts + 1;
  search_.tell(trial, event);
}

void StudyMachine::take(std::uint64_t trial, const EventBody& event) {
  if (const auto* report = std::get_if<Reported>(&event)) {
    open_.at(trial).epochs = report->epochs;
    if (report->decision == Decision::pause) stand(trial, Stands::waits);
  } else if (std::holds_alternative<Retried>(event)) {
    ++open_.at(trial).attempts;
  } else if (std::holds_alternative<Replaced>(event)) {
    stand(trial, Stands::released);
  } else if (const auto* end = std::get_if<Ended>(&event)) {
    forget(trial);
    last_.emplace(trial, *end);
  } else if (!std::holds_alternative<Adapted>(event)) {
    stand(trial, Stands::runs);
  }
}

bool StudyMachine::retries(Cause cause, std::int64_t attempts) const {
  const Retry& policy = study_.retry;
  return attempts <= policy.max && std::ranges::find(policy.on, cause) != policy.on.end();
}

EventBody StudyMachine::after_attempt(std::uint64_t trial, const Ended& end) const {
  const bool again = end.state == TrialState::failed && !end.for_good &&
                     retries(end.cause, open_.at(trial).attempts);
  if (again) return Retried{end.cause, end.message};
  return end;
}

std::optional<Next> StudyMachine::next(std::size_t slots) {
  if (finished_) return std::nullopt;
  while (true) {
    if (auto next = next_of_stage(slots)) {
      quiet_ = false;
      return next;
    }
    if (stage_ != Stage::limits) continue;
    // What one turn brought about may be what another one goes by.
    if (std::exchange(quiet_, true)) return std::nullopt;
  }
}

std::optional<Next> StudyMachine::next_of_stage(std::size_t slots) {
  if (!queue_.empty()) {
    Next next = std::move(queue_.front());
    queue_.pop_front();
    return next;
  }
  switch (stage_) {
    case Stage::limits:
      if (auto end = reached_now()) return Next{{}, std::move(*end)};
      // Where others run the trials, nothing waits for a decision.
      stage_ = study_.is_asked ? Stage::slots : Stage::decisions;
      return std::nullopt;
    case Stage::decisions:
      queue_resumptions();
      stage_ = Stage::given_up;
      return std::nullopt;
    case Stage::given_up:
      for (const std::uint64_t trial : search_.gives_up())
        queue_.push_back({trial, Ended{TrialState::stopped, Cause::none, ""}});
      stage_ = Stage::slots;
      return std::nullopt;
    case Stage::slots:
      if (auto next = fill(slots)) return next;
      stage_ = Stage::limits;
      // What this turn brought about may lead to decisions.
      if (!quiet_ || running_ > 0 || waits_for_slot() || !over()) return std::nullopt;
      if (const auto last = search_.promotes(true)) return Next{*last, Resumed{}};
      if (!endless_) stage_ = Stage::winding_up;
      return std::nullopt;
    case Stage::winding_up:
      break;
  }
  return wind_up();
}

void StudyMachine::queue_resumptions() {
  for (Resumption& resumption : search_.resumptions()) {
    const std::uint64_t trial = resumption.trial;
    stand(trial, Stands::released);
    if (!resumption.source) continue;
    Replaced replaced{.source = *resumption.source,
                      .step = open_.at(trial).epochs,
                      .params = std::move(resumption.params)};
    if (resumption.reshape) replaced.operations = reshapes_.at(*resumption.reshape);
    queue_.push_back({trial, std::move(replaced)});
  }
}

std::optional<Next> StudyMachine::fill(std::size_t slots) {
  if (running_ >= slots) return std::nullopt;
  if (!released_.empty()) return Next{*released_.begin(), Resumed{}};
  if (const auto promoted = search_.promotes(false)) return Next{*promoted, Resumed{}};
  if (over()) return std::nullopt;
  if (std::optional<Params> params = search_.propose())
    return Next{search_.created(), Created{.params = std::move(*params)}};
  exhausted_ = true;
  return std::nullopt;
}

bool StudyMachine::waits_for_slot() const {
  return !released_.empty() || search_.promotes(false).has_value();
}

/// Nothing runs and nothing will: who still waits is stopped.
std::optional<Next> StudyMachine::wind_up() {
  if (!open_.empty())
    return Next{open_.begin()->first, Ended{TrialState::stopped, Cause::none, ""}};
  return Next{{}, over().value()};
}

bool StudyMachine::begins_again() const { return finished_ && finished_->why == Finish::first; }

std::optional<Finished> StudyMachine::hopeless() const {
  if (!last_ || last_->second.state != TrialState::failed || trials_ == nullptr)
    return std::nullopt;
  const auto& [trial, end] = *last_;
  const auto reported = [](const TrialRow& row) { return row.value.has_value(); };
  if (trial == first_ && end.cause == Cause::error &&
      std::ranges::none_of(trials_->rows(), reported))
    return Finished{Finish::first,
                    base::cat("the first trial failed before it reported anything: ", end.message)};
  const std::int64_t failed = trials_->counts().failed;
  if (!study_.limits.failed || failed < *study_.limits.failed) return std::nullopt;
  return Finished{Finish::failed,
                  base::cat(base::counted(failed, "trial"), " failed, the last one by ",
                            name_of(end.cause), end.message.empty() ? "" : ": ", end.message)};
}

/// Whether limits.patience is over before any trial was complete: no more begin, and of those that
/// are there one comes to its end before the study does.
bool StudyMachine::winds_down() const {
  if (trials_ == nullptr || trials_->record() != nullptr) return false;
  const auto end = reached(study_.limits, *trials_);
  return end && end->why == Finish::patience;
}

std::optional<Finished> StudyMachine::reached_now() const {
  if (trials_ == nullptr || study_.is_asked || winds_down()) return std::nullopt;
  return reached(study_.limits, *trials_);
}

/// ", of which 3 failed": a point that was tried in vain is not known.
std::string StudyMachine::failed_text() const {
  const std::int64_t failed = trials_ != nullptr ? trials_->counts().failed : 0;
  return failed > 0 ? base::cat(", but ", base::counted(failed, "trial"), " failed") : "";
}

std::optional<Finished> StudyMachine::over() const {
  if (finished_) return finished_;
  if (trials_ != nullptr) {
    const std::int64_t failed = trials_->counts().failed;
    if (study_.is_asked && study_.limits.failed && failed >= *study_.limits.failed)
      return Finished{Finish::failed, base::counted(failed, "trial") + " failed"};
    if (auto end = reached(study_.limits, *trials_)) return end;
  }
  const std::uint64_t created = search_.created();
  if (exhausted_)
    return Finished{Finish::exhausted, base::cat(base::counted(created, "trial"), ": ",
                                                 search_.why_exhausted(), failed_text())};
  if (study_.limits.trials && created >= static_cast<std::uint64_t>(*study_.limits.trials))
    return Finished{Finish::trials, base::counted(created, "trial")};
  return std::nullopt;
}

std::function<void()> StudyMachine::work_ahead() {
  return over() ? std::function<void()>{} : search_.work_ahead();
}

}  // namespace hpo
