#include "hpo/driver/report_line.h"

#include <algorithm>

#include "hpo/log/json.h"
#include "runtime/base/error.h"
#include "runtime/base/text.h"

namespace hpo {

namespace {

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
  throw rt::Error(rt::Errc::data, rt::cat("has the line ", rt::printable(line, 120), ", ", why));
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

ReportLine members_of(const Json& json, const std::string& line) {
  ReportLine report;
  for (const auto& [name, value] : json.members()) {
    if (name == "step")
      report.step = step_of(value, line);
    else if (is_number(value.raw()))
      report.metrics.emplace_back(name, value.number());
  }
  return report;
}

}  // namespace

ReportLine read_report_line(const std::string& line) {
  const std::string text = with_quoted_numbers(line);
  std::optional<Json> json;
  try {
    json = Json::parse(text);
  } catch (const rt::Error&) {
    refuse(line, "expected one JSON object, such as {\"step\": 3, \"valid.accuracy\": 0.91}");
  }
  if (!text.starts_with('{')) refuse(line, "expected a JSON object");
  return members_of(*json, line);
}

}  // namespace hpo
