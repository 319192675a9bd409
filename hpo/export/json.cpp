#include "hpo/log/json.h"

#include "hpo/export/export.h"

namespace hpo {

namespace {

void put_violation(JsonWriter& json, const TrialRow& trial, const Objective& objective) {
  if (objective.subject_to.empty()) return;
  std::optional<double> violation;
  if (trial.value) violation = objective.violation(trial.metrics);
  json.field("violation", violation);
}

void put_results(JsonWriter& json, const TrialRow& trial, const Objective& objective) {
  json.field("trial", trial.trial).field("state", name_of(trial.state));
  json.key("cause");
  if (trial.cause == Cause::none) {
    json.null();
  } else {
    json.value(name_of(trial.cause));
  }
  json.field("value", trial.value);
  put_violation(json, trial, objective);
  json.key("params").raw(json_of(trial.params));
  json.key("metrics")
      .raw(json_of(trial.metrics))
      .field("step", trial.step)
      .field("epochs", trial.epochs);
}

void put_places(JsonWriter& json, const TrialRow& trial) {
  json.field("attempts", trial.attempts).field("seconds", trial.seconds);
}

/// `[\n  A,\n  B\n]`: a list with one entry a line.
std::string lines_of(const std::vector<std::string>& entries, const std::string& indent) {
  std::string out = "[";
  for (const std::string& entry : entries) {
    if (out.size() > 1) out += ",";
    out += "\n" + indent + "  " + entry;
  }
  return out + (entries.empty() ? "]" : "\n" + indent + "]");
}

}  // namespace

std::string trial_json(const TrialRow& trial, const Objective& objective) {
  JsonWriter json;
  json.begin_object();
  put_results(json, trial, objective);
  put_places(json, trial);
  json.field("parent", trial.parent).end_object();
  return std::move(json).text();
}

std::string trials_json(const StudyReader& study) {
  std::vector<std::string> entries;
  const Objective objective = study.objective();
  for (const TrialRow& trial : study.trials()) entries.push_back(trial_json(trial, objective));
  return lines_of(entries, "");
}

std::string export_json(const StudyReader& study, const ExportOptions& options) {
  std::vector<std::string> entries;
  const Objective objective = study.objective();
  for (const TrialRow& trial : study.trials()) {
    JsonWriter json;
    json.begin_object();
    put_results(json, trial, objective);
    json.field("parent", trial.parent);
    if (options.times) put_places(json, trial);
    json.end_object();
    entries.push_back(std::move(json).text());
  }
  StudyInfo info = study.info();
  JsonWriter head;
  head.begin_object().field("study", info.name).field("metric", info.metric);
  head.field("goal", info.maximize ? "maximize" : "minimize");
  std::string text = std::move(head).text();
  return text + ", \"trials\": " + lines_of(entries, "") + "}\n";
}

std::string best_json(const StudyReader& study) {
  auto best = study.best();
  if (!best) return "";
  StudyInfo info = study.info();
  auto model = study.model();
  JsonWriter json;
  json.begin_object()
      .field("study", info.name)
      .field("trial", best->trial)
      .field("state", name_of(best->state));
  json.field("metric", info.metric).field("value", best->value);
  put_violation(json, *best, study.objective());
  json.key("params").raw(json_of(best->params));
  json.key("metrics").raw(json_of(best->metrics)).key("model");
  if (model && model->trial == best->trial) {
    json.value(model->file.string());
  } else {
    json.null();
  }
  json.key("flops")
      .begin_object()
      .field("train", best->train_flops)
      .field("inference", best->inference_flops);
  json.end_object().end_object();
  return std::move(json).text();
}

std::string status_json(const StudyReader& study) {
  TrialCounts counts = study.counts();
  WorkCounters work = study.work();
  JsonWriter json;
  json.begin_object().field("state", name_of(study.info().state)).key("trials").begin_object();
  json.field("complete", counts.complete)
      .field("running", counts.running)
      .field("stopped", counts.stopped);
  json.field("failed", counts.failed).field("waiting", counts.waiting).end_object().key("best");
  if (auto best = study.best()) {
    json.begin_object().field("trial", best->trial).field("value", best->value).end_object();
  } else {
    json.null();
  }
  json.key("work").begin_object().field("tasks", work.tasks).field("epochs", work.epochs);
  json.field("distinct_epochs", work.distinct_epochs)
      .field("datasets_loaded", work.datasets_loaded);
  json.field("overhead_us_per_task", work.overhead_us_per_task)
      .end_object()
      .key("workers")
      .begin_array();
  for (const WorkerInfo& worker : study.workers()) {
    json.begin_object()
        .field("name", worker.name)
        .field("tasks", worker.tasks)
        .field("busy", worker.busy);
    json.field("waiting", worker.waiting).field("moving", worker.moving).end_object();
  }
  json.end_array().end_object();
  return std::move(json).text();
}

}  // namespace hpo
