#include "hpo/driver/command_reports.h"

#include <algorithm>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

constexpr std::size_t kLongestReport = 1 << 20;
constexpr std::size_t kLongestLine = 4096;           ///< of output that is looked at
constexpr std::uint64_t kMostReports = 256'000'000;  ///< bytes

/// As a trial fails by it.
ReportLine report_of(const std::string& line) {
  try {
    return read_report_line(line);
  } catch (const rt::Error& error) {
    throw TrialFailure(Cause::error, rt::cat("metrics.jsonl ", error.what()));
  }
}

void merge(Metrics& into, const Metrics& more) {
  for (const auto& [name, value] : more) {
    const auto there = std::ranges::find(into, name, &Metrics::value_type::first);
    if (there == into.end())
      into.emplace_back(name, value);
    else
      there->second = value;
  }
}

}  // namespace

CommandReports::CommandReports(const StudySpec& study, const TrialFolder& folder, std::int64_t last)
    : metric_(study.metric),
      reports_(folder.reports, kLongestReport),
      log_(folder.log, kLongestLine),
      old_log_(folder.old_log, kLongestLine),
      last_(last) {
  if (!metric_.regex.empty()) pattern_.emplace(metric_.regex);
}

std::vector<Report> CommandReports::left_over() {
  std::vector<ReportLine> lines;
  for (const std::string& line : reports_.take(false)) {
    try {
      lines.push_back(read_report_line(line));
    } catch (const rt::Error&) {
      // Its writer was killed in the middle of it.
    }
  }
  if (pattern_) {
    for (const std::string& line : old_log_.take(true)) {
      if (const auto match = pattern_->find(line))
        lines.push_back({match->step, {{metric_.name, match->value}}});
    }
  }
  std::vector<Report> out;
  for (ReportLine& line : lines) {
    if (line.step && has_metric(line)) add(std::move(line), out);
  }
  return out;
}

std::vector<Report> CommandReports::take(bool over) {
  std::vector<Report> out;
  for (const std::string& line : reports_.take(over)) add(report_of(line), out);
  if (reports_.bytes() > kMostReports)
    throw TrialFailure(Cause::error, rt::cat("metrics.jsonl has ", reports_.bytes(),
                                             " bytes, expected at most ", kMostReports));
  if (pattern_) {
    for (const std::string& line : log_.take(over)) {
      if (const auto match = pattern_->find(line))
        add({match->step, {{metric_.name, match->value}}}, out);
    }
  }
  return out;
}

bool CommandReports::has_metric(const ReportLine& line) const {
  return std::ranges::find(line.metrics, metric_.name, &Metrics::value_type::first) !=
         line.metrics.end();
}

void CommandReports::add(ReportLine line, std::vector<Report>& out) {
  if (!has_metric(line)) return merge(pending_, line.metrics);
  const std::int64_t step = line.step.value_or(++own_);
  if (step <= last_) return;
  last_ = step;
  Report report{.step = step, .epochs = step};
  report.metrics = std::exchange(pending_, {});
  merge(report.metrics, line.metrics);
  report.value =
      std::ranges::find(report.metrics, metric_.name, &Metrics::value_type::first)->second;
  out.push_back(std::move(report));
}

Report CommandReports::measured(double value) {
  std::vector<Report> out;
  add({.step = last_ + 1, .metrics = {{metric_.name, value}}}, out);
  return std::move(out.front());
}

}  // namespace hpo
