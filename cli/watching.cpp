#include "cli/watching.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/dashboard.h"
#include "cli/keyboard.h"
#include "cli/live_block.h"
#include "cli/open_page.h"
#include "cli/terminal.h"
#include "hpo/log/stop_driver.h"

namespace cli {

namespace {

constexpr double kWatchPeriod = 0.5;
/// Of a long study a look takes its time: the driver's machine is for the driver.
constexpr double kLookShare = 20;
constexpr const char* kWatchKeys = "q quit   s stop the study   o open the page";

class Watch {
 public:
  explicit Watch(const hpo::StudyReader& study) : study_(study), block_(STDOUT_FILENO) {}

  void run() {
    bool goes_on = true;
    while (goes_on) {
      const base::Moment begun = base::now();
      goes_on = look();
      paint();
      if (!goes_on) return;
      const double took = base::seconds_since(begun);
      goes_on = rest(std::max(kWatchPeriod, kLookShare * took));
    }
  }

 private:
  /// Reads how the study stands; false once nobody drives it.
  bool look() {
    const hpo::StudyInfo info = study_.info();
    const std::vector<hpo::TrialRow> trials = study_.trials();
    now_.name = info.name;
    now_.metric = info.metric;
    now_.maximize = info.maximize;
    now_.state = info.state;
    now_.reason = info.reason;
    now_.counts = study_.counts();
    now_.trial_limit = info.trial_limit;
    now_.seconds = now_.session_seconds = info.active_seconds;
    now_.best = study_.best();
    now_.devices = devices_line(study_.workers(), study_.nodes(), info.programs);
    BestSeries series(study_.objective());
    now_.running.clear();
    now_.session_ended = now_.since_best = 0;
    for (const hpo::TrialRow& row : trials) {
      if (row.state == hpo::TrialState::running)
        now_.running.push_back(
            {.trial = row.trial, .step = row.step, .value = row.value, .seconds = row.seconds});
      if (!hpo::has_ended(row.state)) continue;
      series.add(row);
      ++now_.session_ended;
      if (now_.best && row.trial > now_.best->trial) ++now_.since_best;
    }
    now_.best_so_far = series.values();
    note_last(trials, info.programs);
    return info.state == hpo::StudyState::running;
  }

  /// The log's last event is not cheap to find; a trial that has ended since the last look is.
  void note_last(const std::vector<hpo::TrialRow>& trials, bool programs) {
    for (const hpo::TrialRow& row : trials) {
      const bool new_state = states_[row.trial] != row.state;
      states_[row.trial] = row.state;
      if (new_state && hpo::has_ended(row.state)) now_.last = ended_line(row, programs);
    }
  }

  void paint() {
    // In the background the terminal belongs to somebody else.
    if (!in_foreground(STDOUT_FILENO)) return block_.forget();
    const bool over = now_.state != hpo::StudyState::running;
    now_.keys = over                 ? "the study does not run any more"
                : !keyboard_.works() ? "Ctrl-C quits"
                : asked_to_stop_     ? "s again stops the study"
                                     : kWatchKeys;
    block_.paint(dashboard_lines(now_, block_.width(), block_.rows(), coloured_results()));
  }

  /// Waits and obeys keys; false where somebody has seen enough.
  bool rest(double seconds) {
    const base::Moment begun = base::now();
    int width = block_.width(), rows = block_.rows();
    for (;;) {
      const double left = seconds - base::seconds_since(begun);
      if (left <= 0) return true;
      const auto key = keyboard_.pressed(std::min(left, 0.1));
      if (key == 'q') return false;
      if (key) obey(*key);
      const bool resized = width != block_.width() || rows != block_.rows();
      width = block_.width();
      rows = block_.rows();
      const bool went_on = keyboard_.went_on();
      if (went_on) block_.forget();
      if (key || went_on || resized) paint();
    }
  }

  void obey(char key) {
    const bool again = std::exchange(asked_to_stop_, false);
    if (key == 'o') now_.last = open_page(study_.folder());
    if (key == 's' && !again) asked_to_stop_ = true;
    if (key != 's' || !again) return;
    try {
      (void)hpo::stop_driver(study_.folder(), 0);
      now_.last = "the driver was asked to stop";
    } catch (const base::Error& error) {
      now_.last = error.what();
    }
  }

  const hpo::StudyReader& study_;
  Standing now_;
  std::map<std::uint64_t, hpo::TrialState> states_;  ///< at the last look
  bool asked_to_stop_ = false;
  Keyboard keyboard_;
  LiveBlock block_;
};

}  // namespace

void watch_on_terminal(const hpo::StudyReader& study) { Watch(study).run(); }

}  // namespace cli
