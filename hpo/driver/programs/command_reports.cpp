#include "hpo/driver/programs/command_reports.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "hpo/driver/programs/visible_text.h"
#include "hpo/log/metrics.h"

namespace hpo {

namespace {

constexpr std::size_t kLongestReport = 1 << 20;
constexpr std::size_t kLongestLogLine = 4096;        ///< of output that is looked at
constexpr std::uint64_t kMostReports = 256'000'000;  ///< bytes

/// What some editors and shells of Windows begin a file with.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Throws base::Error (data).
ReportLine report_in(std::string line) {
  if (line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  if (is_blank(line)) return {};
  if (line.size() >= kLongestReport)
    throw base::Error(base::Errc::data,
                      base::cat("has a line of ", kLongestReport, " bytes or more that begins ",
                                base::printable(line, 60), ", expected one JSON object a line"));
  return read_report_line(line);
}

/// As a trial fails by it.
ReportLine report_of(const std::string& line) {
  try {
    return report_in(line);
  } catch (const base::Error& error) {
    throw TrialFailure(Cause::error, base::cat("metrics.jsonl ", error.what()));
  }
}

void merge(Metrics& into, const Metrics& more) {
  for (const auto& [name, value] : more) put_metric(into, name, value);
}

}  // namespace

CommandReports::CommandReports(const StudySpec& study, const Reported* last)
    : deciding_(deciding_metrics(study)),
      reports_(kLongestReport),
      log_(kLongestLogLine),
      last_(last != nullptr ? last->step : -1) {
  if (!study.metric.regex.empty()) patterns_.emplace_back(study.metric.name, study.metric.regex);
  for (const Metric& other : study.others)
    if (!other.regex.empty()) patterns_.emplace_back(other.name, other.regex);
  if (last != nullptr) keep(last->metrics);
}

void CommandReports::find_in(const std::string& printed, std::vector<ReportLine>& out) {
  for (const std::string& line : visible_lines(printed)) {
    for (const auto& [name, pattern] : patterns_) {
      Pattern::NoNumber other;
      try {
        const auto match = pattern.find(line, &other);
        if (match) out.push_back({match->step, {{name, match->value}}});
      } catch (const base::Error& error) {
        throw TrialFailure(Cause::error, base::cat("metric.regex of ", name, " ", error.what()));
      }
      if (!other.text.empty())
        no_numbers_[name] = {.text = other.text, .of_output = true, .as_step = other.is_step};
    }
  }
}

std::optional<NoNumber> CommandReports::no_number(const std::string& metric) const {
  const auto found = no_numbers_.find(metric);
  return found == no_numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Report> CommandReports::left_over(const TrialFolder& folder) {
  std::vector<ReportLine> lines;
  do {
    for (const std::string& line : reports_.take(folder.reports(), false)) {
      try {
        lines.push_back(report_in(line));
      } catch (const base::Error&) {
        // Its writer was killed in the middle of it.
      }
    }
  } while (reports_.more());
  LineReader log(kLongestLogLine);
  do {
    if (patterns_.empty()) break;
    for (const std::string& line : log.take(folder.log, true)) {
      try {
        find_in(line, lines);
      } catch (const TrialFailure&) {
        // So did the attempt that wrote it.
      }
    }
  } while (log.more());
  std::vector<Report> out;
  for (ReportLine& line : lines) {
    if (line.step && find_metric(line.metrics, deciding_.front())) add(std::move(line), out);
  }
  return out;
}

void CommandReports::begin(bool with_checkpoints) {
  own_ = with_checkpoints ? std::max<std::int64_t>(0, last_) : 0;
}

void CommandReports::take(const TrialFolder& folder, bool over, std::vector<Report>& out) {
  do {
    for (const std::string& line : reports_.take(folder.reports(), over)) add(report_of(line), out);
    if (reports_.bytes() > kMostReports)
      throw TrialFailure(Cause::error, base::cat("metrics.jsonl has ", reports_.bytes(),
                                                 " bytes, expected at most ", kMostReports));
  } while (reports_.more());
  if (patterns_.empty()) return;
  do {
    for (const std::string& line : log_.take(folder.log, over)) {
      std::vector<ReportLine> found;
      find_in(line, found);
      for (ReportLine& report : found) add(std::move(report), out);
    }
  } while (log_.more());
}

void CommandReports::keep(const Metrics& metrics) {
  for (const std::string& name : deciding_) {
    if (const double* value = find_metric(metrics, name)) merge(known_, {{name, *value}});
  }
}

void CommandReports::add(ReportLine line, std::vector<Report>& out) {
  for (auto& [name, value] : line.no_numbers) {
    if (std::ranges::find(deciding_, name) != deciding_.end())
      no_numbers_[name] = {.text = std::move(value), .of_output = false};
  }
  if (!find_metric(line.metrics, deciding_.front())) return merge(pending_, line.metrics);
  const std::int64_t step = line.step.value_or(++own_);
  if (step <= last_) return;
  last_ = step;
  Report report{.step = step, .epochs = step};
  report.metrics = std::exchange(pending_, {});
  merge(report.metrics, line.metrics);
  keep(report.metrics);
  for (const auto& [name, value] : known_) {
    if (!find_metric(report.metrics, name)) report.metrics.emplace_back(name, value);
  }
  report.value = *find_metric(known_, deciding_.front());
  out.push_back(std::move(report));
}

std::optional<Report> CommandReports::closing(const Metrics& measured) {
  merge(pending_, measured);
  const Metrics before = known_;
  keep(pending_);
  const double* value = find_metric(known_, deciding_.front());
  if (known_ == before || value == nullptr || missing() != nullptr) return {};
  std::vector<Report> out;
  add({.step = last_ + 1, .metrics = {{deciding_.front(), *value}}}, out);
  out.front().over = true;
  return std::move(out.front());
}

const std::string* CommandReports::missing() const {
  const auto found = std::ranges::find_if(
      deciding_, [&](const std::string& name) { return find_metric(known_, name) == nullptr; });
  return found == deciding_.end() ? nullptr : &*found;
}

}  // namespace hpo
