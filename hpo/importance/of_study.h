#pragma once
// What the parameters of a study on disk mattered.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hpo/export/plot_data.h"
#include "hpo/importance/importance.h"
#include "hpo/log/trial_table.h"

namespace hpo {

/// What mattered to one metric.
struct MetricImportance {
  std::string metric;
  std::vector<Importance> parameters;
};

/// A trial that ended with a value and did not fail, by the first metric; nothing for others.
[[nodiscard]] std::optional<RankedTrial> outcome_of(const TrialRow& trial,
                                                    const Objective& objective);

/// For each metric that is searched for, `first` and then the objective's others. Of the trials
/// that ended with a value of it, those that failed left out; those that break a bound are not
/// among the best; `space` is the study's. See importance_of.
[[nodiscard]] std::vector<MetricImportance> importances_of(const Space& space,
                                                           const std::vector<TrialRow>& trials,
                                                           const std::string& first,
                                                           const Objective& objective);

/// metric, parameter, share, trials: a row for each parameter of each metric.
[[nodiscard]] PlotData importance_data(std::span<const MetricImportance> importances);

/// {"valid.accuracy": {"lr": 0.61, ...}, ...}; without the metrics about which nothing can be said.
[[nodiscard]] std::string shares_json(std::span<const MetricImportance> importances);

}  // namespace hpo
