// A small study, for tests of the log.
#pragma once

#include "hpo/log/event_log.h"

namespace hpo::sample {

inline StudyFacts facts() {
  return {.name = "digits",
          .metric = "valid.accuracy",
          .objective = {.maximize = true},
          .parameters = {"lr", "optimizer"},
          .resolved = "name: digits\n"};
}

inline Event created(std::uint64_t trial, double lr, double vtime = 0) {
  return {.vtime = vtime,
          .trial = trial,
          .body = Created{.params = {{"lr", lr}, {"optimizer", std::string("adam")}},
                          .inference_flops = 100}};
}

inline Event reported(std::uint64_t trial, std::int64_t step, double value, double vtime = 1) {
  return {.vtime = vtime,
          .trial = trial,
          .body = Reported{.step = step,
                           .epochs = step,
                           .value = value,
                           .flops = 10.0 * static_cast<double>(step),
                           .metrics = {{"valid.accuracy", value}, {"train.loss", 0.5}}},
          .real = {.took = 0.25}};
}

inline Event ended(std::uint64_t trial, TrialState state, Cause cause = Cause::none,
                   std::string message = "") {
  return {.vtime = 2, .trial = trial, .body = Ended{state, cause, std::move(message)}};
}

inline void no_events(const Event&) {}

/// All events of a study that is there.
inline std::vector<Event> replayed(const base::Path& folder) {
  std::vector<Event> events;
  EventLog log(folder);
  log.replay([&](const Event& e) { events.push_back(e); });
  return events;
}

/// A log that is begun and open for writing.
inline std::unique_ptr<EventLog> open(const base::Path& folder) {
  auto log = std::make_unique<EventLog>(folder);
  if (!log->facts()) log->begin(facts());
  log->replay(no_events);
  return log;
}

}  // namespace hpo::sample
