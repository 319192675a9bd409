#include "hpo/driver/command_reports.h"

#include <algorithm>
#include <utility>

#include "hpo/log/json.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

constexpr std::size_t kLongestReport = 1 << 20;
constexpr std::size_t kLongestLine = 4096;           ///< of output that is looked at
constexpr std::uint64_t kMostReports = 256'000'000;  ///< bytes

/// Puts what JSON has no number for in quotes, as our JSON writes it.
std::string with_quoted_numbers(std::string_view line) {
  constexpr std::string_view kWords[] = {"NaN", "-Infinity", "Infinity"};
  constexpr std::string_view kQuoted[] = {"\"nan\"", "\"-inf\"", "\"inf\""};
  std::string out;
  bool text = false;
  for (std::size_t at = 0; at < line.size();) {
    if (text && line[at] == '\\' && at + 1 < line.size()) {
      out += line.substr(at, 2);
      at += 2;
      continue;
    }
    if (line[at] == '"') text = !text;
    const auto word = std::ranges::find_if(
        kWords, [&](std::string_view w) { return !text && line.substr(at).starts_with(w); });
    if (word == std::end(kWords)) {
      out += line[at++];
    } else {
      out += kQuoted[word - std::begin(kWords)];
      at += word->size();
    }
  }
  return out;
}

[[noreturn]] void refuse(const std::string& line, std::string_view why) {
  throw TrialFailure(Cause::error,
                     rt::cat("metrics.jsonl has the line ", rt::printable(line, 120), ", ", why));
}

std::int64_t step_of(const Json& json, const std::string& line) {
  const auto step = rt::parse_double(json.raw());
  if (!step || *step < 0 || *step > 9e15 || *step != static_cast<double>(std::int64_t(*step)))
    refuse(line, "expected a whole number of at least 0 as its step");
  return static_cast<std::int64_t>(*step);
}

bool is_number(std::string_view raw) {
  const bool special = raw == "\"nan\"" || raw == "\"inf\"" || raw == "\"-inf\"";
  return special || (!raw.empty() && raw.front() != '"' && rt::parse_double(raw).has_value());
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

ReportLine read_report_line(const std::string& line) {
  const std::string text = with_quoted_numbers(line);
  ReportLine report;
  try {
    const Json json = Json::parse(text);
    if (!text.starts_with('{')) refuse(line, "expected a JSON object");
    for (const auto& [name, value] : json.members()) {
      if (name == "step")
        report.step = step_of(value, line);
      else if (is_number(value.raw()))
        report.metrics.emplace_back(name, value.number());
    }
  } catch (const rt::Error&) {
    refuse(line, "expected one JSON object, such as {\"step\": 3, \"valid.accuracy\": 0.91}");
  }
  return report;
}

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
    } catch (const TrialFailure&) {
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
  for (const std::string& line : reports_.take(over)) add(read_report_line(line), out);
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
