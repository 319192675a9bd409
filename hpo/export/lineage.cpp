#include "hpo/export/lineage.h"

#include "base/json_writer.h"
#include "hpo/export/export.h"
#include "hpo/log/trial_table.h"

namespace hpo {

namespace {

/// Of a trial that no other one had a part in: its own events say it all.
Stage only_stage(const StudyReader& study, const TrialRow& trial) {
  Stage stage{.trial = trial.trial, .params = trial.params, .value = trial.value};
  for (const EventRow& row : study.events(trial.trial)) {
    if (row.kind == "adapted") stage.rounds.push_back(std::get<Adapted>(row.body));
  }
  return stage;
}

}  // namespace

Lineage lineage_of(const StudyReader& study, const TrialRow& trial) {
  if (!trial.parent) return {only_stage(study, trial)};
  TrialTable table(study.objective());
  for (const EventRow& row : study.events())
    table.apply({.vtime = row.vtime, .trial = row.trial, .body = row.body});
  return table.lineage(trial.trial);
}

std::string show_json(const StudyReader& study, const TrialRow& trial,
                      const std::string& importance) {
  base::JsonWriter json;
  json.begin_array();
  for (const Stage& stage : lineage_of(study, trial)) {
    json.begin_object().field("trial", stage.trial).field("epoch", stage.from);
    json.key("params").raw(json_of(stage.params)).key("change");
    const bool reshaped = stage.from > 0 && !stage.rounds.empty();
    if (reshaped) {
      json.value(stage.rounds.front().accepted().change);
    } else {
      json.null();
    }
    json.field("value", stage.value).field("before", stage.before).end_object();
  }
  json.end_array();
  std::string out = trial_json(trial, Judge(study));
  out.pop_back();
  out += ", \"verdict\": " + verdict_json(study.verdict(trial.trial));
  return out + ", \"importance\": " + importance + ", \"lineage\": " + std::move(json).text() + "}";
}

}  // namespace hpo
