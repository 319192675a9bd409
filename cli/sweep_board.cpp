#include "cli/sweep_board.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "cli/open_page.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr double kPaintPeriod = 0.1;
constexpr const char* kKeys = "q one line   s stop   o open the page";
constexpr const char* kMoreKeys = "   (q: more)";

}  // namespace

SweepBoard::SweepBoard(const std::string& study, const hpo::Objective& objective, bool programs,
                       base::Path folder)
    : folder_(std::move(folder)), programs_(programs), series_(objective), block_(STDERR_FILENO) {
  now_.name = study;
  now_.maximize = objective.maximize;
  now_.last = "the sweep begins";
  now_.devices = devices_line({}, {}, programs);
  if (!base::file_size(folder_ / "study.db")) return;
  try {
    const hpo::StudyReader before(folder_);
    seconds_before_ = before.info().active_seconds;
    before_ = before.trials();
    std::erase_if(before_, [](const hpo::TrialRow& row) { return !hpo::has_ended(row.state); });
  } catch (const base::Error&) {
    return;  // the sweep itself says what is wrong with the log
  }
}

void SweepBoard::started(const std::string& metric, bool maximize) {
  now_.metric = metric;
  now_.maximize = maximize;
  series_.settle(maximize);
  for (const hpo::TrialRow& row : before_) {
    series_.add(row);
    ended_.push_back(row.trial);
  }
}

void SweepBoard::runs(const hpo::TrialRow& trial) {
  running_[trial.trial] = {
      .trial = trial.trial, .step = trial.step, .value = trial.value, .seconds = trial.seconds};
}

void SweepBoard::ended(const hpo::TrialRow& trial) {
  running_.erase(trial.trial);
  series_.add(trial);
  ended_.push_back(trial.trial);
  now_.last = ended_line(trial, programs_);
}

void SweepBoard::devices(std::span<const hpo::WorkerInfo> workers,
                         std::span<const hpo::NodeInfo> nodes) {
  now_.devices = devices_line(workers, nodes, programs_);
}

void SweepBoard::line(const std::string& text) {
  if (in_foreground(STDERR_FILENO))
    block_.clear();
  else
    block_.forget();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void SweepBoard::progress(const hpo::Progress& now) {
  while (const auto key = keyboard_.pressed()) obey(*key);
  if (keyboard_.went_on()) {
    block_.forget();
    painted_ = -1e9;
  }
  if (now.seconds - painted_ < kPaintPeriod) return;
  painted_ = now.seconds;
  now_.counts = now.counts;
  now_.trial_limit = now.trial_limit;
  now_.seconds = seconds_before_ + now.seconds;
  now_.session_seconds = now.seconds;
  now_.session_ended = now.counts.complete + now.counts.stopped + now.counts.failed -
                       static_cast<std::int64_t>(before_.size());
  now_.best = now.best != nullptr ? std::optional(*now.best) : std::nullopt;
  paint();
}

void SweepBoard::paint() {
  // In the background the terminal belongs to somebody else.
  if (!in_foreground(STDERR_FILENO)) return block_.forget();
  now_.since_best = !now_.best ? 0 : std::ranges::count_if(ended_, [&](std::uint64_t trial) {
    return trial > now_.best->trial;
  });
  now_.best_so_far = series_.values();
  now_.running.clear();
  for (const auto& [trial, one] : running_) now_.running.push_back(one);
  now_.keys = !keyboard_.works() ? "Ctrl-C stops"
              : asked_to_stop_   ? "s again stops the sweep"
                                 : kKeys;
  std::vector<std::string> lines =
      dashboard_lines(now_, block_.width(), is_small_ ? 1 : block_.rows(), coloured_progress());
  if (is_small_) lines.front() = clip(lines.front() + kMoreKeys, block_.width());
  block_.paint(lines);
}

void SweepBoard::obey(char key) {
  const bool again = std::exchange(asked_to_stop_, false);
  painted_ = -1e9;  // what a key did is shown at once
  if (key == 'q') {
    block_.clear();
    is_small_ = !is_small_;
  } else if (key == 'o') {
    now_.last = open_page(folder_);
  } else if (key == 's' && again) {
    // As Ctrl-C does, which the driver knows how to obey.
    (void)std::raise(SIGINT);
  } else if (key == 's') {
    asked_to_stop_ = true;
  }
}

}  // namespace cli
