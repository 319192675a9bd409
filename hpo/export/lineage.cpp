#include "hpo/export/lineage.h"

#include "hpo/export/export.h"
#include "hpo/log/json.h"
#include "hpo/log/trial_table.h"

namespace hpo {

Lineage lineage_of(const StudyReader& study, std::uint64_t trial) {
  TrialTable table(study.objective());
  for (const EventRow& row : study.events())
    table.apply({.vtime = row.vtime, .trial = row.trial, .body = body_of(row.kind, row.payload)});
  return table.lineage(trial);
}

std::string show_json(const StudyReader& study, const TrialRow& trial) {
  JsonWriter json;
  json.begin_array();
  for (const Segment& segment : lineage_of(study, trial.trial)) {
    json.begin_object().field("trial", segment.trial).field("epoch", segment.from);
    json.key("params").raw(json_of(segment.params)).key("change");
    if (segment.rounds.empty()) {
      json.null();
    } else {
      json.value(segment.rounds.front().accepted().change);
    }
    json.field("value", segment.value).field("before", segment.before).end_object();
  }
  json.end_array();
  std::string out = trial_json(trial);
  out.pop_back();
  return out + ", \"lineage\": " + std::move(json).text() + "}";
}

}  // namespace hpo
