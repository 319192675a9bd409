#include "hpo/importance/of_study.h"

#include "hpo/log/json.h"

namespace hpo {

std::vector<Importance> importance_of(const Space& space, const std::vector<TrialRow>& trials,
                                      const Objective& objective) {
  std::vector<RankedTrial> outcomes;
  for (const TrialRow& trial : trials) {
    const bool complete = trial.state == TrialState::complete;
    if (!trial.value || (!complete && trial.state != TrialState::stopped)) continue;
    outcomes.push_back({.params = trial.params,
                        .loss = objective.loss(*trial.value),
                        .step = trial.step,
                        .complete = complete,
                        .violation = objective.violation(trial.metrics)});
  }
  return importance_of(space, outcomes);
}

std::string json_of(const std::vector<Importance>& importance) {
  std::string text = "[";
  for (const Importance& one : importance) {
    JsonWriter json;
    json.begin_object().field("parameter", one.parameter).field("share", one.share);
    json.field("trials", one.trials).end_object();
    text += (text.size() > 1 ? ",\n  " : "\n  ") + std::move(json).text();
  }
  return text + (importance.empty() ? "]" : "\n]");
}

}  // namespace hpo
