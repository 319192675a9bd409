#include "cli/progress.h"

#include <cstdio>
#include <utility>

#include "base/text.h"
#include "cli/lineage.h"
#include "cli/summary.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr int kFailuresShown = 5;

/// What matters most comes first: a narrow terminal cuts the end off.
std::string state_line(const hpo::Progress& now, const std::string& metric) {
  const hpo::TrialCounts& counts = now.counts;
  std::string out = base::cat(counts.complete + counts.stopped + counts.failed);
  if (now.trial_limit > 0) out += base::cat("/", now.trial_limit);
  out += " trials";
  if (now.best && now.best->value)
    out += base::cat(", best ", metric, " ", short_number(*now.best->value), " (trial ",
                     now.best->trial, ")");
  return out + base::cat(", ", short_seconds(now.seconds), ", ", counts.running, " running (",
                         counts.complete, " complete, ", counts.stopped, " stopped, ",
                         counts.failed, " failed)");
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::string study, const hpo::Objective& objective, bool programs,
                                 bool quiet, const base::Path& folder)
    : study_(std::move(study)), objective_(objective), programs_(programs), quiet_(quiet) {
  if (!quiet_ && live_display()) board_.emplace(study_, objective_, programs_, folder);
}

void ProgressDisplay::line(const std::string& text) {
  if (quiet_) return;
  if (board_)
    board_->line(text);
  else
    std::fprintf(stderr, "%s\n", text.c_str());
}

void ProgressDisplay::sweep_started(const hpo::Metric& metric, std::int64_t trials, bool resumed) {
  metric_ = metric.name;
  objective_.maximize = metric.goal == hpo::Goal::maximize;
  if (board_) board_->started(metric_, objective_.maximize);
  const char* goal = metric.goal == hpo::Goal::maximize ? "maximize " : "minimize ";
  line(resumed ? base::cat(study_, ": continuing with ", trials, " trials in the log")
               : base::cat(study_, ": searching, ", goal, metric_));
}

void ProgressDisplay::trial_started(const hpo::TrialRow& trial) {
  if (board_) board_->runs(trial);
}

void ProgressDisplay::trial_reported(const hpo::TrialRow& trial) {
  if (board_) board_->runs(trial);
}

void ProgressDisplay::devices(std::span<const hpo::WorkerInfo> workers,
                              std::span<const hpo::NodeInfo> nodes) {
  if (board_) board_->devices(workers, nodes);
}

void ProgressDisplay::trial_replaced(const hpo::TrialRow& trial, const hpo::Replaced& replaced) {
  if (board_) return board_->happened(replaced_line(trial, replaced));
  line(replaced_line(trial, replaced));
}

void ProgressDisplay::trial_ended(const hpo::TrialRow& trial) {
  if (board_) board_->ended(trial);
  if (trial.state != hpo::TrialState::failed || failures_shown_ > kFailuresShown) return;
  if (failures_shown_++ == kFailuresShown)
    line("further failures are not shown here, see trellis trials");
  else
    line(base::cat("trial ", trial.trial, " failed (", hpo::name_of(trial.cause), ")",
                   trial.message.empty() ? "" : ": ", trial.message));
}

void ProgressDisplay::report_improvement(const hpo::Progress& now) {
  if (!now.best || !now.best->value) return;
  const hpo::TrialRow& best = *now.best;
  // The best trial that runs may get worse, and then another one lead that is worse than it was.
  // One that is complete goes before all that are not, unless only reports count.
  const auto better = now.by_time ? hpo::leads : hpo::is_better_trial;
  if (best_ && !better(best, *best_, objective_)) return;
  const bool same = best_ && best_->trial == best.trial && best_->value == best.value;
  best_ = best;
  if (same) return;
  const bool ended =
      best.state == hpo::TrialState::complete || best.state == hpo::TrialState::stopped;
  line(base::cat("trial ", best.trial, ended ? " (" : "", ended ? hpo::name_of(best.state) : "",
                 ended ? ")" : "", ": ", metric_, " ", short_number(*best.value), " after ",
                 text_length(programs_, best.epochs), ", best so far"));
}

void ProgressDisplay::progress(const hpo::Progress& now) {
  if (quiet_) return;
  if (board_) return board_->progress(now);
  report_improvement(now);
  if (now.seconds - last_shown_ < kPlainPeriod) return;
  last_shown_ = now.seconds;
  if (now.seconds >= kPlainPeriod) line(state_line(now, metric_));
}

void ProgressDisplay::note(std::string_view text) { line(std::string(text)); }

}  // namespace cli
