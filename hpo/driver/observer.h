#pragma once
// Who wants to see a sweep or a training go by: the progress display, tests.

#include <cstdint>
#include <span>
#include <string_view>

#include "hpo/log/event.h"
#include "hpo/log/study_reader.h"
#include "hpo/log/trial_row.h"
#include "hpo/study/spec.h"

namespace hpo {

/// How a sweep stands after a commit.
struct Progress {
  TrialCounts counts;
  std::int64_t trial_limit = 0;    ///< 0: none known (a grid says its size)
  const TrialRow* best = nullptr;  ///< TrialTable::best_so_far(); valid during the call
  bool by_time = false;            ///< the best report counts, whoever made it (choice_now)
  double seconds = 0;              ///< of this session
};

/// Called on the driver's thread, only about what is on disk already. Calls come in the order of
/// events (the same on every machine with `order: virtual`), which is not the order of real time.
/// Must not block for long and must not throw.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Once, before the first trial: `trials` are in the log already when a study is continued.
  /// `metric` is settled: what the study file left to the data is filled in.
  virtual void sweep_started(const Metric& metric, std::int64_t trials, bool resumed) {
    (void)metric, (void)trials, (void)resumed;
  }
  /// In place of sweep_started where one network is trained without a search, for so many epochs.
  virtual void train_started(const Metric& metric, std::int64_t epochs) {
    (void)metric, (void)epochs;
  }
  virtual void trial_started(const TrialRow& trial) { (void)trial; }
  virtual void trial_reported(const TrialRow& trial) { (void)trial; }
  /// The trial's network changed its shape, or was raced and stayed.
  virtual void trial_adapted(const TrialRow& trial, const Adapted& round) {
    (void)trial, (void)round;
  }
  /// The trial goes on with another one's network; `trial` has the params of now.
  virtual void trial_replaced(const TrialRow& trial, const Replaced& replaced) {
    (void)trial, (void)replaced;
  }
  /// Complete, stopped or failed.
  virtual void trial_ended(const TrialRow& trial) { (void)trial; }
  /// After each group of events, and at least every half second while work runs.
  virtual void progress(const Progress& now) { (void)now; }
  /// What workers and agents did so far, every few seconds and at the end.
  virtual void devices(std::span<const WorkerInfo> workers, std::span<const NodeInfo> nodes) {
    (void)workers, (void)nodes;
  }
  /// Something a person should know, one line (a retry, a changed arithmetic, a stop on its way).
  virtual void note(std::string_view line) { (void)line; }
};

}  // namespace hpo
