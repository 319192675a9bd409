#include "hpo/driver/live_trial.h"

#include <utility>

#include "base/text.h"

namespace hpo {

LiveTrial::LiveTrial(std::uint64_t trial, Lineage lineage, std::vector<Reported> logged,
                     std::vector<LoggedRound> rounds, Timeline& timeline, const Search& search)
    : trial_(trial),
      lineage_(std::move(lineage)),
      logged_(std::move(logged)),
      rounds_(std::move(rounds)),
      timeline_(timeline),
      search_(search),
      group_(base::cat("trial-", trial)) {}

void LiveTrial::segment(double flops) {
  flops_ += flops;
  // A segment that the log has the outcome of lies in the past of virtual time.
  if (!void_ && !in_past()) timeline_.segment(trial_, flops);
}

void LiveTrial::outside(double cost, double seconds) {
  outside_ += seconds;
  if (!void_) timeline_.segment(trial_, cost);
}

bool LiveTrial::in_past() const {
  return next_logged_ < logged_.size() || next_round_ < rounds_.size();
}

const Adapted* LiveTrial::logged_round() const {
  const bool next = next_round_ < rounds_.size() && rounds_[next_round_].reports == next_logged_;
  return next ? &rounds_[next_round_].round : nullptr;
}

std::vector<Adapted> LiveTrial::rounds_before(std::size_t reports) const {
  std::vector<Adapted> before;
  for (const LoggedRound& logged : rounds_) {
    if (logged.reports < reports) before.push_back(logged.round);
  }
  return before;
}

void LiveTrial::adapted(Adapted round) {
  if (logged_round() != nullptr) {
    ++next_round_;
  } else if (!void_) {
    post({std::move(round)});
  }
}

bool LiveTrial::replayed() {
  if (next_logged_ == logged_.size()) return false;
  const Reported& report = logged_[next_logged_++];
  pass(report);
  return true;
}

void LiveTrial::go_on_behind(std::size_t reports) {
  if (reports == 0) return;
  next_logged_ = reports;
  next_round_ = rounds_before(reports).size();
  pass(logged_.at(reports - 1));
}

void LiveTrial::pass(const Reported& report) {
  last_ = search_.progress(report);
  flops_ = report.flops;
  used_before_ = report.used - busy_seconds();
}

rt::Async<Decision> LiveTrial::report(Report report) {
  if (void_) co_return Decision::stop;
  Reported reported = event_of(std::move(report), flops_);
  if (search_.counts_seconds()) reported.used = used_before_ + busy_seconds();
  const bool decides = search_.decides(last_, reported);
  last_ = search_.progress(reported);
  post({std::move(reported)});
  if (!decides) co_return Decision::go;
  waiting_.emplace();
  rt::Value<Decision> decision = waiting_->value();
  co_return co_await decision;
}

void LiveTrial::end(Ended how) {
  ended_ = true;
  if (!void_) post({std::move(how)});
}

void LiveTrial::post(Outcome outcome) {
  outcome.busy = busy_seconds();
  outcome.real = real();
  outcome.notes = std::exchange(notes_, {});
  outcomes_.push_back(std::move(outcome));
  timeline_.post(trial_);
}

Outcome LiveTrial::take() {
  Outcome outcome = std::move(outcomes_.front());
  outcomes_.pop_front();
  outcome.real.took = outcome.busy - std::exchange(told_, outcome.busy);
  return outcome;
}

void LiveTrial::answer(Decision decision) {
  // A trial that waits posts nothing more: its last outcome is the report in question.
  if (waiting_ && outcomes_.empty()) std::exchange(waiting_, std::nullopt)->set(decision);
}

void LiveTrial::make_void() {
  void_ = true;
  outcomes_.clear();
  group_.cancel();
  if (when_void_) std::exchange(when_void_, {})();
  if (waiting_) std::exchange(waiting_, std::nullopt)->set(Decision::stop);
}

}  // namespace hpo
