#include "cli/nodes_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/devices.h"
#include "cli/terminal.h"
#include "hpo/study/checker.h"

namespace cli {

namespace {

constexpr const char* kOption = "--trial-seconds";

bool is_time(const hpo::ParamValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole >= 0;
  const auto* number = std::get_if<double>(&value);
  return number != nullptr && *number >= 0;
}

bool has_times(const hpo::Domain& domain) {
  return std::ranges::all_of(hpo::study::samples(domain), is_time);
}

/// The number of seconds that a text is; negative for any other text.
double number_in(std::string_view text) {
  double seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && std::isfinite(seconds) ? seconds : -1;
}

std::string losses_text(const hpo::NodesCase& one) {
  const hpo::NodesCase::Losses& losses = *one.losses;
  if (losses.histories == 0) return "never ends";
  const std::string mean =
      base::cat(short_seconds(losses.seconds), " (", short_number(losses.nodes), " lost)");
  if (losses.all_ended()) return mean;
  return base::cat(mean, ", ends in ", losses.histories, " of ", hpo::NodesCase::kHistories,
                   " histories");
}

}  // namespace

void declare_trial_seconds(Arguments& arguments) {
  arguments.option(kOption, "N",
                   "with nodes, of a study of programs: how long the program of a trial runs, in "
                   "seconds, or the name of the parameter that says so");
}

hpo::ProgramTime program_time(const Arguments& arguments, const hpo::StudySpec& study) {
  const std::string text = arguments.text(kOption);
  if (const double seconds = number_in(text); seconds > 0) return {.seconds = seconds};
  std::vector<std::string> names;
  for (const hpo::Parameter& parameter : study.space.parameters()) {
    if (!has_times(parameter.domain)) continue;
    if (parameter.name == text) return {.parameter = text};
    names.push_back(parameter.name);
  }
  throw base::Error(
      base::Errc::usage,
      base::cat(kOption, ": \"", base::printable(text, 60),
                "\" is neither a number of seconds above 0 nor a parameter of numbers from 0 on",
                names.empty() ? std::string() : base::expected_one_of(names, text)));
}

std::string nodes_text(const hpo::NodesForecast& forecast) {
  const bool loses =
      std::ranges::any_of(forecast.cases, [](const auto& one) { return one.losses.has_value(); });
  const bool varies = std::ranges::any_of(
      forecast.cases, [](const auto& one) { return one.longest > one.shortest; });
  std::vector<std::string> header{"nodes", "time"};
  if (varies) header.emplace_back("from to");
  for (const char* name :
       {"speed-up", "busy", "transfers", "parallel", "stragglers", "rule", "limit"})
    header.emplace_back(name);
  if (loses) header.emplace_back("time with losses");
  Table table(std::move(header));
  for (const hpo::NodesCase& one : forecast.cases) {
    const hpo::SlotTime& use = one.use;
    const double first = forecast.cases.front().seconds;
    std::vector<std::string> row{std::to_string(one.count), short_seconds(one.seconds)};
    if (varies)
      row.push_back(base::cat(short_seconds(one.shortest), " - ", short_seconds(one.longest)));
    row.push_back(base::cat(short_number(first / one.seconds), "x"));
    for (const double part : {use.busy, use.transfers, use.parallel, use.end, use.rule})
      row.push_back(percent(part, use.slots));
    row.push_back(one.limit);
    if (loses) row.push_back(one.losses ? losses_text(one) : "");
    table.row(std::move(row));
  }
  const hpo::NodesCase& last = forecast.cases.back();
  return base::cat(
      table.text(), "\n",
      forecast.useful_nodes >= last.count
          ? base::cat("each of the ", last.count, " nodes saves 5% of the time or more")
          : base::cat("beyond ", base::counted(forecast.useful_nodes, "node"),
                      ", one more saves less than 5% of the time"));
}

}  // namespace cli
