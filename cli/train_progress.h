#pragma once
// How the training of one network looks while it runs, on stderr.

#include <deque>
#include <string>
#include <utility>

#include "base/clock.h"
#include "cli/status_line.h"
#include "hpo/driver/observer.h"

namespace cli {

/// Epoch, loss, metric and the time left: repainted on a terminal; elsewhere a line for the first
/// report, for the last, and every few seconds between.
class TrainDisplay final : public hpo::Observer {
 public:
  TrainDisplay(std::string study, bool quiet);

  void train_started(const hpo::Metric& metric, std::int64_t epochs) override;
  void trial_reported(const hpo::TrialRow& trial) override;
  /// Each round of an adapting network is worth a line.
  void trial_adapted(const hpo::TrialRow& trial, const hpo::Adapted& round) override;
  void progress(const hpo::Progress& now) override;
  void note(std::string_view line) override { screen_.line(std::string(line)); }
  /// Ends the live line, so that results start on a fresh one.
  void finish() { screen_.clear(); }

 private:
  [[nodiscard]] std::string state() const;
  [[nodiscard]] double seconds_left() const;

  std::string study_, metric_;
  StatusLine screen_;
  std::int64_t epochs_ = 0;
  base::Moment begun_{};
  double last_line_ = 0;
  bool fresh_ = true;   ///< no report had its line yet
  std::string report_;  ///< the last one in words
  /// (second, epochs done) of the last reports: the pace at which epochs go by now, whatever was
  /// answered by the store before.
  std::deque<std::pair<double, std::int64_t>> pace_;
};

}  // namespace cli
