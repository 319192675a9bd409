#include "hpo/driver/programs/report_line.h"

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace hpo {

namespace {

[[noreturn]] void refuse(const std::string& line, std::string_view why) {
  throw base::Error(base::Errc::data,
                    base::cat("has the line ", base::printable(line, 120), ", ", why));
}

std::int64_t step_of(const base::Json& json, const std::string& line) {
  const auto step = json.as_number();
  const bool fits = step && *step >= 0 && *step <= 9e15;
  if (!fits || *step != static_cast<double>(static_cast<std::int64_t>(*step)))
    refuse(line, "expected a whole number of at least 0 as its step");
  return static_cast<std::int64_t>(*step);
}

bool is_number(const base::Json& json) {
  const std::string_view raw = json.raw();
  return json.is_number() || raw == "\"nan\"" || raw == "\"inf\"" || raw == "\"-inf\"";
}

ReportLine members_of(const base::Json& json, const std::string& line) {
  ReportLine report;
  for (const auto& [name, value] : json.members()) {
    if (name == "step")
      report.step = step_of(value, line);
    else if (is_number(value))
      report.metrics.emplace_back(name, value.number());
    else
      report.no_numbers.emplace_back(name, value.raw());
  }
  return report;
}

}  // namespace

ReportLine read_report_line(const std::string& line) {
  const auto json = base::Json::try_parse(line, {.non_finite = true});
  if (!json)
    refuse(line, "expected one JSON object, such as {\"step\": 3, \"valid.accuracy\": 0.91}");
  if (!line.starts_with('{')) refuse(line, "expected a JSON object");
  return members_of(*json, line);
}

}  // namespace hpo
