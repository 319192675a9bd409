#pragma once
// How a sweep looks while it runs, on stderr: one repainted line on a terminal, few plain lines
// when piped.

#include <optional>
#include <string>

#include "cli/status_line.h"
#include "hpo/driver/observer.h"
#include "hpo/log/objective.h"

namespace cli {

/// What happens worth a line in a log file: the start, each improvement, failures, notes, and the
/// state every few seconds. On a terminal the state is one line at the bottom that repaints itself
/// at most ten times a second.
class ProgressDisplay final : public hpo::Observer {
 public:
  /// `objective`: what "best so far" means, up to a goal that is not settled yet. `programs`: what
  /// trials count is steps, not epochs.
  ProgressDisplay(std::string study, hpo::Objective objective, bool programs, bool quiet);

  void sweep_started(const hpo::Metric& metric, std::int64_t trials, bool resumed) override;
  void trial_replaced(const hpo::TrialRow& trial, const hpo::Replaced& replaced) override;
  void trial_ended(const hpo::TrialRow& trial) override;
  void progress(const hpo::Progress& now) override;
  void note(std::string_view line) override;
  /// Ends the live line, so that results start on a fresh one.
  void finish() { screen_.clear(); }

 private:
  void report_improvement(const hpo::Progress& now);

  std::string study_, metric_;
  hpo::Objective objective_;
  bool programs_;
  StatusLine screen_;
  int failures_shown_ = 0;
  std::optional<hpo::TrialRow> best_;  ///< that was shown
  double last_shown_ = -1e9;
};

}  // namespace cli
