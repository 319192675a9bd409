// Several metrics and bounds.

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "hpo/log/metrics.h"
#include "hpo/report/html.h"
#include "hpo/report/section.h"

namespace hpo::report {

namespace {

/// Trials of the front that the table shows, evenly spread; the picture shows all.
constexpr std::size_t kFrontRows = 20;

std::string metric_names(const Gathered& study) {
  std::string out = visible(study.info.metric, kLongName);
  for (const OtherMetric& other : study.objective.others)
    out += base::cat(&other == &study.objective.others.back() ? " and " : ", ",
                     visible(other.name, kLongName));
  return out;
}

/// "12 trials break a bound: weights <= 200000."
std::string bounds_text(const Gathered& study) {
  if (study.objective.subject_to.empty()) return "";
  const auto breaking = std::ranges::count_if(study.trials, [&](const TrialRow& row) {
    return row.value && study.objective.violation(row.metrics) > 0;
  });
  const std::string bounds = base::listed(study.objective.subject_to, [](const Bound& bound) {
    return visible(bound.text(), 2 * kLongName);
  });
  if (breaking == 0) return base::cat("No trial breaks a bound: ", bounds, ".");
  return base::cat(base::counted(breaking, "trial"), breaking == 1 ? " breaks" : " break",
                   " a bound: ", bounds, ".");
}

std::string front_table(const Gathered& study) {
  const std::vector<std::uint64_t>& front = study.front->trials;
  std::vector<Cell> head{"trial", study.info.metric};
  for (const OtherMetric& other : study.objective.others) head.emplace_back(other.name);
  Table table(std::move(head), 1);
  const std::size_t rows = std::min(kFrontRows, front.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t at = rows > 1 ? i * (front.size() - 1) / (rows - 1) : 0;
    const TrialRow& row = study.trials[front[at]];
    std::vector<Cell> cells{std::to_string(row.trial), score(study.info.metric, *row.value)};
    for (const OtherMetric& other : study.objective.others) {
      const double* value = find_metric(row.metrics, other.name);
      cells.emplace_back(value == nullptr ? std::string("–") : score(other.name, *value));
    }
    table.row(cells, study.best && row.trial == study.best->trial ? "winner" : "");
  }
  return table.html();
}

}  // namespace

std::optional<Section> metrics_section(const Gathered& study) {
  if (!study.front && study.objective.subject_to.empty()) return std::nullopt;
  Section section{.id = "metrics", .title = "Metrics"};
  if (!study.front) {
    section.heading = bounds_text(study);
    return section;
  }
  const std::size_t count = study.front->trials.size();
  section.heading = base::cat(count, count == 1 ? " trial is" : " trials are",
                              " on the Pareto front of ", metric_names(study), ".");
  if (study.front->hypervolume)
    section.lead = base::cat("Its hypervolume is ", number(*study.front->hypervolume), ". ");
  section.lead += bounds_text(study);
  if (count > 0) section.body = front_table(study) + picture("front", section.heading);
  return section;
}

}  // namespace hpo::report
