// Trials that wait: for a decision, then for a slot.

#include <algorithm>
#include <utility>

#include "hpo/driver/driver.h"
#include "nn/adapt/operation_json.h"

namespace hpo {

namespace {

/// So many seconds of training are done again rather than kept in memory for a trial that waits:
/// what takes no longer is often not worth writing, and the store does not have it.
constexpr double kTrainedAgain = 1;

}  // namespace

/// What a turn of the loop asks for must not cost more where many trials wait, so it is counted
/// here.
void Driver::stand(std::uint64_t trial, Stands where) {
  Past& past = pasts_[trial];
  if (past.stands == Stands::runs) --running_;
  if (past.stands == Stands::released) released_.erase(trial);
  past.stands = where;
  if (where == Stands::runs) ++running_;
  if (where == Stands::released) released_.insert(trial);
}

void Driver::forget(std::uint64_t trial) {
  stand(trial, Stands::waits);
  pasts_.erase(trial);
}

void Driver::apply_decisions() {
  if (finished_) return;
  for (Decision& decision : search_.decisions()) {
    const std::uint64_t trial = decision.trial;
    stand(trial, Stands::released);
    if (!decision.source) continue;
    Replaced replaced{.source = *decision.source,
                      .step = log_.trials().row(trial).epochs,
                      .params = std::move(decision.params)};
    if (decision.reshape)
      replaced.operations = nn::json_of(nn::Operations{study_.reshape.at(*decision.reshape)});
    search_.tell(trial, replaced);
    emit(trial, std::move(replaced));
    // Its own network is given up; the attempt that goes on begins with the other one.
    if (auto live = live_.find(trial); live != live_.end()) {
      live->second->make_void();
      live_.erase(live);
    }
  }
}

void Driver::stop_given_up() {
  if (finished_) return;
  for (const std::uint64_t trial : search_.gives_up())
    end_trial(trial, {TrialState::stopped, Cause::none, ""}, 0);
}

void Driver::resume_released() {
  const auto slots = static_cast<std::size_t>(study_.parallel);
  while (!released_.empty() && !finished_ && !fatal_ && running_ < slots)
    resume(*released_.begin());
}

void Driver::resume(std::uint64_t trial) {
  stand(trial, Stands::runs);
  search_.tell(trial, Resumed{});
  timeline_.enter(trial, now_);
  emit(trial, Resumed{});
  if (auto live = live_.find(trial); live != live_.end()) {
    live->second->answer(Word::go);
  } else {
    start(trial);
  }
}

/// Attempts that wait hold their networks in memory. Beyond a few, those whose network the store
/// has are given up, the one that began first before the others: another attempt goes on from
/// there.
void Driver::keep_few_waiting() {
  if (!setup_.store) return;
  const std::size_t most = 2 * static_cast<std::size_t>(study_.parallel);
  std::size_t waiting = live_.size() - running_;
  for (auto live = live_.begin(); live != live_.end() && waiting > most;) {
    const Past& past = pasts_.at(live->first);
    const auto key =
        past.reports.empty() ? std::nullopt : base::Key::from_hex(past.reports.back().checkpoint);
    const bool found_again =
        key && (live->second->busy_seconds() < kTrainedAgain || setup_.store->contains(*key));
    if (past.stands == Stands::runs || !found_again) {
      ++live;
      continue;
    }
    live->second->make_void();
    live = live_.erase(live);
    --waiting;
  }
}

void Driver::stop_waiting() {
  while (!pasts_.empty())
    end_trial(pasts_.begin()->first, {TrialState::stopped, Cause::none, ""}, 0);
}

}  // namespace hpo
