#pragma once
// How a sweep looks while it runs, on stderr: twelve repainted lines on a terminal, few plain lines
// when piped.

#include <optional>
#include <span>
#include <string>

#include "base/file.h"
#include "cli/sweep_board.h"
#include "hpo/driver/observer.h"
#include "hpo/log/objective.h"

namespace cli {

/// What happens worth a line in a log file: the start, each improvement, failures, notes, and the
/// state every few seconds. On a terminal the state stands at the bottom and repaints itself.
class ProgressDisplay final : public hpo::Observer {
 public:
  /// `objective`: what "best so far" means, up to a goal that is not settled yet. `programs`: what
  /// trials count is steps, not epochs. `folder`: of the study.
  ProgressDisplay(std::string study, const hpo::Objective& objective, bool programs, bool quiet,
                  const base::Path& folder);

  void sweep_started(const hpo::Metric& metric, std::int64_t trials, bool resumed) override;
  void trial_started(const hpo::TrialRow& trial) override;
  void trial_reported(const hpo::TrialRow& trial) override;
  void trial_replaced(const hpo::TrialRow& trial, const hpo::Replaced& replaced) override;
  void trial_ended(const hpo::TrialRow& trial) override;
  void progress(const hpo::Progress& now) override;
  void devices(std::span<const hpo::WorkerInfo> workers,
               std::span<const hpo::NodeInfo> nodes) override;
  void note(std::string_view line) override;
  /// Ends the live lines, so that results start on a fresh one.
  void finish() { board_.reset(); }

 private:
  void line(const std::string& text);
  void report_improvement(const hpo::Progress& now);

  std::string study_, metric_;
  hpo::Objective objective_;
  bool programs_;
  bool quiet_;
  std::optional<SweepBoard> board_;  ///< on a terminal
  int failures_shown_ = 0;
  std::optional<hpo::TrialRow> best_;  ///< that was shown
  double last_shown_ = -1e9;
};

}  // namespace cli
