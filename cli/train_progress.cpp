#include "cli/train_progress.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "cli/adapted.h"
#include "cli/terminal.h"

namespace cli {

namespace {

constexpr std::size_t kPaceReports = 8;

std::string words_of(const hpo::TrialRow& trial, const std::string& metric) {
  std::string out;
  for (const auto& [name, value] : trial.metrics)
    if (name == "train.loss" && name != metric)
      out += base::cat(", ", name, " ", short_number(value));
  if (trial.value) out += base::cat(", ", metric, " ", short_number(*trial.value));
  return out;
}

}  // namespace

TrainDisplay::TrainDisplay(std::string study, bool quiet)
    : study_(std::move(study)), screen_(quiet) {}

void TrainDisplay::train_started(const hpo::Metric& metric, std::int64_t epochs) {
  metric_ = metric.name;
  epochs_ = epochs;
  begun_ = base::now();
  pace_.assign(1, {0.0, 0});
  screen_.line(base::cat(study_, ": training for ", base::counted(epochs, "epoch")));
}

void TrainDisplay::trial_reported(const hpo::TrialRow& trial) {
  const double now = base::seconds_since(begun_);
  pace_.emplace_back(now, trial.epochs);
  if (pace_.size() > kPaceReports) pace_.pop_front();
  report_ = words_of(trial, metric_);
  if (screen_.live()) return;
  const bool last = trial.epochs >= epochs_;
  if (!fresh_ && !last && now - last_line_ < kPlainPeriod) return;
  fresh_ = false;
  last_line_ = now;
  screen_.line(state());
}

double TrainDisplay::seconds_left() const {
  const auto& [from, before] = pace_.front();
  const auto& [to, done] = pace_.back();
  if (done == before) return -1;
  const double each = (to - from) / static_cast<double>(done - before);
  return std::max(0.0,
                  each * static_cast<double>(epochs_ - done) - (base::seconds_since(begun_) - to));
}

std::string TrainDisplay::state() const {
  const std::int64_t done = pace_.back().second;
  std::string out = base::cat(study_, ": epoch ", done, "/", epochs_, report_);
  const double left = seconds_left();
  if (done < epochs_ && left >= 0) out += base::cat(", ", short_seconds(left), " left");
  return out;
}

void TrainDisplay::trial_adapted(const hpo::TrialRow&, const hpo::Adapted& round) {
  screen_.line(round_line(round));
}

void TrainDisplay::progress(const hpo::Progress&) {
  if (screen_.live() && !pace_.empty()) screen_.paint(state());
}

}  // namespace cli
