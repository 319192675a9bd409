#pragma once
// A sweep on a terminal: twelve lines at its bottom, and keys.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/dashboard.h"
#include "cli/keyboard.h"
#include "cli/live_block.h"
#include "hpo/driver/observer.h"

namespace cli {

/// Not thread-safe. `folder`: of the study, whose log may have trials of earlier sessions.
class SweepBoard {
 public:
  SweepBoard(const std::string& study, const hpo::Objective& objective, bool programs,
             base::Path folder);
  ~SweepBoard() { clear(); }
  SweepBoard(const SweepBoard&) = delete;
  SweepBoard& operator=(const SweepBoard&) = delete;

  /// The metric and its goal are settled.
  void started(const std::string& metric, bool maximize);
  void runs(const hpo::TrialRow& trial);
  void ended(const hpo::TrialRow& trial);
  void devices(std::span<const hpo::WorkerInfo> workers, std::span<const hpo::NodeInfo> nodes);
  /// Takes note of how the sweep stands, obeys keys, and paints at most ten times a second.
  void progress(const hpo::Progress& now);
  /// A line for good, above what is painted.
  void line(const std::string& text);
  void happened(const std::string& what) { now_.last = what; }
  void clear() { block_.clear(); }

 private:
  void obey(char key);
  void paint();

  base::Path folder_;
  bool programs_;
  Standing now_;
  std::vector<hpo::TrialRow> before_;  ///< trials of earlier sessions that have ended
  BestSeries series_;
  std::map<std::uint64_t, RunningTrial> running_;
  std::vector<std::uint64_t> ended_;  ///< numbers, of all sessions
  double seconds_before_ = 0;         ///< of earlier sessions
  double painted_ = -1e9;             ///< seconds of the session
  bool is_small_ = false;             ///< one line alone
  bool asked_to_stop_ = false;
  Keyboard keyboard_;
  LiveBlock block_;
};

}  // namespace cli
