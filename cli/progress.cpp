#include "cli/progress.h"

#include "cli/terminal.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

constexpr double kLivePeriod = 0.1;
constexpr double kPlainPeriod = 5.0;
constexpr int kFailuresShown = 5;

std::string state_line(const hpo::Progress& now, const std::string& metric) {
  const hpo::TrialCounts& counts = now.counts;
  std::string out = rt::cat(counts.complete + counts.stopped + counts.failed);
  if (now.trial_limit > 0) out += rt::cat("/", now.trial_limit);
  out += rt::cat(" trials (", counts.complete, " complete, ", counts.stopped, " stopped, ",
                 counts.failed, " failed), ", counts.running, " running");
  if (now.best && now.best->value)
    out += rt::cat(", best ", metric, " ", short_number(*now.best->value), " (trial ",
                   now.best->trial, ")");
  return out + rt::cat(", ", short_seconds(now.seconds));
}

}  // namespace

ProgressDisplay::ProgressDisplay(std::string study, std::string metric, bool maximize, bool quiet)
    : study_(std::move(study)),
      metric_(std::move(metric)),
      maximize_(maximize),
      quiet_(quiet),
      live_(!quiet && live_display()) {}

ProgressDisplay::~ProgressDisplay() { finish(); }

void ProgressDisplay::finish() {
  if (painted_) std::fputs("\r\033[K", stderr);
  painted_ = false;
}

void ProgressDisplay::line(const std::string& text) {
  if (quiet_) return;
  finish();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void ProgressDisplay::paint(const std::string& text) {
  std::fprintf(stderr, "\r\033[K%s", clip(text, terminal_width() - 1).c_str());
  std::fflush(stderr);
  painted_ = true;
}

void ProgressDisplay::sweep_started(std::int64_t trials, bool resumed) {
  line(resumed ? rt::cat(study_, ": continuing with ", trials, " trials in the log")
               : rt::cat(study_, ": searching, ", maximize_ ? "maximize " : "minimize ", metric_));
}

void ProgressDisplay::trial_reported(const hpo::TrialRow& trial) { (void)trial; }

void ProgressDisplay::trial_ended(const hpo::TrialRow& trial) {
  if (trial.state != hpo::TrialState::failed || failures_shown_ > kFailuresShown) return;
  if (failures_shown_++ == kFailuresShown)
    line("further failures are not shown here, see trellis trials");
  else
    line(rt::cat("trial ", trial.trial, " failed (", hpo::name_of(trial.cause), ")",
                 trial.message.empty() ? "" : ": ", trial.message));
}

void ProgressDisplay::report_improvement(const hpo::Progress& now) {
  if (!now.best || !now.best->value) return;
  auto trial = static_cast<std::int64_t>(now.best->trial);
  if (trial == best_trial_ && *now.best->value == best_value_) return;
  best_trial_ = trial;
  best_value_ = *now.best->value;
  line(rt::cat("trial ", trial, ": ", metric_, " ", short_number(best_value_), " after ",
               now.best->epochs, " epochs, best so far"));
}

void ProgressDisplay::progress(const hpo::Progress& now) {
  if (quiet_) return;
  if (live_) {
    if (now.seconds - last_shown_ < kLivePeriod) return;
    last_shown_ = now.seconds;
    paint(rt::cat(study_, ": ", state_line(now, metric_)));
    return;
  }
  report_improvement(now);
  if (now.seconds - last_shown_ < kPlainPeriod) return;
  last_shown_ = now.seconds;
  if (now.seconds >= kPlainPeriod) line(state_line(now, metric_));
}

void ProgressDisplay::note(std::string_view text) { line(std::string(text)); }

}  // namespace cli
