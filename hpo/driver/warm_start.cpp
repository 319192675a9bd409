#include "hpo/driver/warm_start.h"

#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "hpo/log/schema.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/warm.h"

namespace hpo {

namespace {

/// What of a trial's values this space has, where that is a point of it. A parameter that can only
/// be one value was that before it was written down.
std::optional<Params> fitted(const Params& params, const Space& space) {
  Params chosen;
  for (const std::size_t i : space.order()) {
    const Parameter& parameter = space.parameters()[i];
    if (!space.is_active(i, chosen)) continue;
    if (const ParamValue* value = params.find(parameter.name))
      chosen.set(parameter.name, as_meant(parameter.domain, *value));
    else if (cardinality(parameter.domain) == 1)
      chosen.set(parameter.name, nth_value(parameter.domain, 0));
  }
  chosen = space.adopt(chosen);
  return space.contains(chosen) ? std::optional(chosen) : std::nullopt;
}

WarmStart read_one(const StudySpec& study, std::size_t i, const std::string& folder) {
  if (std::error_code error; !std::filesystem::exists(base::Path(folder) / kStudyDb, error))
    refuse_warm_start(study, i,
                      "which holds no study, expected a study's folder such as runs/digits");
  const StudyReader reader{base::Path(folder)};
  const StudyInfo info = reader.info();
  const bool maximize = study.metric.goal == Goal::maximize;
  if (info.metric != study.metric.name || info.maximize != maximize) {
    const auto goal = [](bool up) { return up ? " (maximize)" : " (minimize)"; };
    refuse_warm_start(study, i,
                      base::cat("a study of ", base::printable(info.metric), goal(info.maximize),
                                ", expected one of ", study.metric.name, goal(maximize)));
  }
  WarmStart start{.run = folder, .fit = {}};
  for (const TrialRow& trial : reader.trials()) {
    if (!has_ended(trial.state)) continue;
    ++start.ended;
    if (auto params = fitted(trial.params, study.space))
      start.fit.push_back(
          {std::move(*params), trial.value, trial.step, trial.state, trial.metrics});
  }
  return start;
}

TrialState state_from(const std::string& word) {
  for (const TrialState state : {TrialState::complete, TrialState::stopped, TrialState::failed}) {
    if (name_of(state) == word) return state;
  }
  throw base::Error(base::Errc::storage, base::cat("warm_start: \"", base::printable(word, 60),
                                                   "\" is not the state of a trial that ended"));
}

}  // namespace

std::vector<WarmStart> read_warm_starts(const StudySpec& study) {
  std::vector<WarmStart> starts;
  for (std::size_t i = 0; i < study.warm_start.size(); ++i)
    starts.push_back(read_one(study, i, study.warm_start[i]));
  return starts;
}

std::string text_of(const WarmStart& start) {
  return base::cat("warm_start ", base::printable(start.run), ": ", start.fit.size(), " of ",
                   start.ended, " trials fit");
}

std::string json_of(const std::vector<Known>& known) {
  base::JsonWriter json;
  json.begin_array();
  for (const Known& trial : known) {
    json.begin_object().key("params").raw(json_of(trial.params)).field("value", trial.value);
    json.field("step", trial.step).field("state", name_of(trial.state));
    json.key("metrics").raw(json_of(trial.metrics)).end_object();
  }
  json.end_array();
  return std::move(json).text();
}

std::vector<Known> known_from_json(std::string_view text) {
  std::vector<Known> known;
  const base::Json json = base::Json::parse(text);
  for (const auto& [name, entry] : json.members()) {
    Known trial{.params = params_from_json(entry.at("params"))};
    if (!entry.at("value").is_null()) trial.value = entry.at("value").number();
    trial.step = entry.at("step").integer();
    trial.state = state_from(entry.at("state").text());
    if (const base::Json* metrics = entry.find("metrics"))
      trial.metrics = metrics_from_json(*metrics);
    known.push_back(std::move(trial));
  }
  return known;
}

std::vector<Known> known_of(const EventLog& log) {
  const auto text = log.noted(kKnownFact);
  return text ? known_from_json(*text) : std::vector<Known>{};
}

}  // namespace hpo
