#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/export/best_trials.h"
#include "hpo/export/export.h"
#include "hpo/log/metrics.h"
#include "hpo/space/value.h"

namespace hpo {

namespace {

/// What a trial is sorted by: ascending, those that have none last.
struct Place {
  bool missing = true;
  double violation = 0;  ///< the best is none that breaks a bound
  double number = 0;
  std::string text;
  auto operator<=>(const Place&) const = default;
};

Place place_of(double number) {
  return {.missing = std::isnan(number), .number = std::isnan(number) ? 0 : number};
}

/// Whether a metric that is searched for is maximized; nothing for another one.
std::optional<bool> is_maximized(const Objective& objective, const std::string& metric,
                                 const std::string& name) {
  if (name == metric) return objective.maximize;
  const auto other = std::ranges::find(objective.others, name, &OtherMetric::name);
  return other == objective.others.end() ? std::nullopt : std::optional(other->maximize);
}

Place by_metric(const TrialRow& trial, const std::string& name) {
  const double* value = find_metric(trial.metrics, name);
  return value == nullptr ? Place{} : place_of(*value);
}

Place by_goal(const TrialRow& trial, const std::string& name, bool maximize,
              const Objective& objective) {
  const double* value = find_metric(trial.metrics, name);
  if (value == nullptr) return {};
  Place place = place_of(maximize ? -*value : *value);
  place.violation = objective.violation(trial.metrics);
  return place;
}

Place by_parameter(const TrialRow& trial, const std::string& name) {
  const ParamValue* value = trial.params.find(name);
  if (value == nullptr) return {};
  if (const auto number = number_of(*value)) return place_of(*number);
  return {.missing = false, .text = plain_text_of(*value)};
}

void sort_by(std::vector<TrialRow>& trials, const StudyReader& study, const std::string& name) {
  const std::string metric = study.info().metric;
  const Objective objective = study.objective();
  std::set<std::string> metrics{metric};
  for (const OtherMetric& other : objective.others) metrics.insert(other.name);
  for (const TrialRow& trial : trials)
    for (const auto& [known, value] : trial.metrics) metrics.insert(known);
  if (metrics.contains(name)) {
    const std::optional<bool> maximize = is_maximized(objective, metric, name);
    std::ranges::stable_sort(trials, {}, [&](const TrialRow& trial) {
      return maximize ? by_goal(trial, name, *maximize, objective) : by_metric(trial, name);
    });
    return;
  }
  const std::vector<std::string> parameters = study.parameter_names();
  if (std::ranges::find(parameters, name) == parameters.end()) {
    std::vector<std::string> known(metrics.begin(), metrics.end());
    known.insert(known.end(), parameters.begin(), parameters.end());
    throw base::Error(base::Errc::usage,
                      base::cat("--sort: '", base::printable(name, 60),
                                "' is neither a metric nor a parameter of the study",
                                base::expected_one_of(known, name)));
  }
  std::ranges::stable_sort(trials, {},
                           [&](const TrialRow& trial) { return by_parameter(trial, name); });
}

}  // namespace

std::vector<TrialRow> best_trials(const StudyReader& study, std::size_t count) {
  std::vector<TrialRow> trials = study.trials();
  const Objective objective = study.objective();
  const auto rank = [](const TrialRow& trial) {
    return can_be_best(trial) ? 0 : can_lead(trial) ? 1 : 2;
  };
  std::ranges::stable_sort(trials, [&](const TrialRow& a, const TrialRow& b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (rank(a) == 0) return is_better_trial(a, b, objective);
    return rank(a) == 1 && leads(a, b, objective);
  });
  if (trials.size() > count) trials.resize(count);
  return trials;
}

std::vector<TrialRow> chosen_trials(const StudyReader& study, const TrialChoice& choice) {
  std::vector<TrialRow> trials = study.trials();
  if (choice.front) {
    const TrialFront front = front_of(trials, study.objective());
    std::erase_if(trials, [&](const TrialRow& trial) { return !front.has(trial.trial); });
  }
  if (!choice.sort.empty()) sort_by(trials, study, choice.sort);
  return trials;
}

}  // namespace hpo
