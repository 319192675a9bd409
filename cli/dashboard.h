#pragma once
// How a study that runs looks on a terminal: twelve lines.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hpo/log/study_reader.h"

namespace cli {

/// A trial that runs.
struct RunningTrial {
  std::uint64_t trial = 0;
  std::int64_t step = 0;
  std::optional<double> value;
  double seconds = 0;  ///< of its tasks
};

/// What the lines show.
struct Standing {
  std::string name;
  std::string metric;
  bool maximize = false;
  hpo::StudyState state = hpo::StudyState::running;
  std::string reason;  ///< why it ended
  hpo::TrialCounts counts;
  std::int64_t trial_limit = 0;  ///< 0: none
  double seconds = 0;            ///< that the study has taken, all sessions together
  /// Trials that ended in `session_seconds`, from which the time left is estimated.
  std::int64_t session_ended = 0;
  double session_seconds = 0;
  std::optional<hpo::TrialRow> best;
  std::int64_t since_best = 0;      ///< trials that ended after the best one
  std::vector<double> best_so_far;  ///< after each trial that ended; NaN: none was good yet
  std::vector<RunningTrial> running;
  std::string devices;  ///< workers or nodes, and how busy they are
  std::string last;     ///< the last thing that happened
  std::string keys;     ///< what keys do, or what a key did
};

/// At most twelve lines, without line ends, none wider than `width`. A terminal with fewer rows
/// than that gets the more important ones. Without colors the characters alone tell things apart.
[[nodiscard]] std::vector<std::string> dashboard_lines(const Standing& now, int width, int rows,
                                                       bool colors);

/// "2 cores, 75% busy", "gpu 0, 80% busy" or "3 nodes work, 1 is lost: 12 workers, 80% busy".
/// `programs`: trials run outside of workers.
[[nodiscard]] std::string devices_line(std::span<const hpo::WorkerInfo> workers,
                                       std::span<const hpo::NodeInfo> nodes, bool programs);

/// "trial 4 stopped after 9 epochs: 0.9134", of a trial that ended.
[[nodiscard]] std::string ended_line(const hpo::TrialRow& trial, bool programs);

/// The best value so far after each trial that ended: of complete trials, and where none is
/// complete of all that did not fail.
class BestSeries {
 public:
  explicit BestSeries(hpo::Objective objective) : objective_(std::move(objective)) {}
  /// Says what better means, before the first trial is added.
  void settle(bool maximize) { objective_.maximize = maximize; }
  void add(const hpo::TrialRow& ended);
  [[nodiscard]] const std::vector<double>& values() const {
    return any_complete_ ? of_complete_ : of_all_;
  }

 private:
  hpo::Objective objective_;
  bool any_complete_ = false;
  std::vector<double> of_complete_, of_all_;  ///< NaN: none was good yet
};

}  // namespace cli
