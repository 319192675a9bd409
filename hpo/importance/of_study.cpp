#include "hpo/importance/of_study.h"

#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "hpo/log/metrics.h"

namespace hpo {

namespace {

std::optional<RankedTrial> outcome(const TrialRow& trial, const Objective& objective, bool maximize,
                                   const std::optional<double>& value) {
  const bool complete = trial.state == TrialState::complete;
  if (!value || (!complete && trial.state != TrialState::stopped)) return std::nullopt;
  return RankedTrial{.params = trial.params,
                     .loss = maximize ? -*value : *value,
                     .step = trial.step,
                     .complete = complete,
                     .violation = objective.violation(trial.metrics)};
}

/// The trials that ended with what `value_of` finds.
template <class ValueOf>
std::vector<RankedTrial> ranked(const std::vector<TrialRow>& trials, const Objective& objective,
                                bool maximize, ValueOf value_of) {
  std::vector<RankedTrial> outcomes;
  for (const TrialRow& trial : trials) {
    if (auto one = outcome(trial, objective, maximize, value_of(trial)))
      outcomes.push_back(std::move(*one));
  }
  return outcomes;
}

}  // namespace

std::optional<RankedTrial> outcome_of(const TrialRow& trial, const Objective& objective) {
  return outcome(trial, objective, objective.maximize, trial.value);
}

std::vector<MetricImportance> importances_of(const Space& space,
                                             const std::vector<TrialRow>& trials,
                                             const std::string& first, const Objective& objective) {
  const auto of_first = [](const TrialRow& trial) { return trial.value; };
  std::vector<MetricImportance> all{
      {.metric = first,
       .parameters =
           importance_of(space, ranked(trials, objective, objective.maximize, of_first))}};
  for (const OtherMetric& other : objective.others) {
    const auto of_other = [&](const TrialRow& trial) -> std::optional<double> {
      const double* value = find_metric(trial.metrics, other.name);
      if (value == nullptr) return std::nullopt;
      return *value;
    };
    all.push_back(
        {.metric = other.name,
         .parameters = importance_of(space, ranked(trials, objective, other.maximize, of_other))});
  }
  return all;
}

PlotData importance_data(std::span<const MetricImportance> importances) {
  PlotData data{.columns = {"metric", "parameter", "share", "trials"}, .rows = {}};
  for (const MetricImportance& metric : importances) {
    for (const Importance& one : metric.parameters)
      data.rows.push_back(
          {metric.metric, one.parameter, one.share, static_cast<std::int64_t>(one.trials)});
  }
  return data;
}

std::string shares_json(std::span<const MetricImportance> importances) {
  base::JsonWriter json;
  json.begin_object();
  for (const MetricImportance& metric : importances) {
    if (metric.parameters.empty()) continue;
    json.key(metric.metric).begin_object();
    for (const Importance& one : metric.parameters) json.field(one.parameter, one.share);
    json.end_object();
  }
  json.end_object();
  return std::move(json).text();
}

}  // namespace hpo
