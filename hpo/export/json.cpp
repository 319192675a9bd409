
#include "base/json_writer.h"
#include "hpo/export/export.h"

namespace hpo {

namespace {

void put_standing(base::JsonWriter& json, const TrialRow& trial, const Judge& judge) {
  if (!judge.objective.subject_to.empty()) {
    std::optional<double> violation;
    if (trial.value) violation = judge.objective.violation(trial.metrics);
    json.field("violation", violation);
  }
  if (judge.front) json.key("front").raw(judge.front->has(trial.trial) ? "true" : "false");
}

void put_front(base::JsonWriter& json, const Judge& judge, const std::string& metric) {
  if (!judge.front) return;
  json.key("front").begin_object().key("metrics").begin_array().value(metric);
  for (const OtherMetric& other : judge.objective.others) json.value(other.name);
  json.end_array().field("hypervolume", judge.front->hypervolume).key("trials").begin_array();
  for (const std::uint64_t trial : judge.front->trials)
    json.value(static_cast<std::int64_t>(trial));
  json.end_array().end_object();
}

void put_results(base::JsonWriter& json, const TrialRow& trial, const Judge& judge) {
  json.field("trial", trial.trial).field("state", name_of(trial.state));
  json.key("cause");
  if (trial.cause == Cause::none) {
    json.null();
  } else {
    json.value(name_of(trial.cause));
  }
  json.field("value", trial.value);
  put_standing(json, trial, judge);
  json.key("params").raw(json_of(trial.params));
  json.key("metrics")
      .raw(json_of(trial.metrics))
      .field("step", trial.step)
      .field("epochs", trial.epochs);
}

void put_places(base::JsonWriter& json, const TrialRow& trial) {
  json.field("attempts", trial.attempts).field("seconds", trial.seconds);
  if (trial.memory) json.field("memory", *trial.memory);
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

Judge::Judge(const StudyReader& study) : objective(study.objective()) {
  if (!objective.others.empty()) front = front_of(study.trials(), objective);
}

std::string trial_json(const TrialRow& trial, const Judge& judge) {
  base::JsonWriter json;
  json.begin_object();
  put_results(json, trial, judge);
  put_places(json, trial);
  json.field("parent", trial.parent).end_object();
  return std::move(json).text();
}

std::string trials_json(const StudyReader& study, const TrialChoice& choice) {
  std::vector<std::string> entries;
  const Judge judge(study);
  for (const TrialRow& trial : chosen_trials(study, choice))
    entries.push_back(trial_json(trial, judge));
  return lines_of(entries, "");
}

std::string export_json(const StudyReader& study, const ExportOptions& options) {
  std::vector<std::string> entries;
  const Judge judge(study);
  for (const TrialRow& trial : study.trials()) {
    base::JsonWriter json;
    json.begin_object();
    put_results(json, trial, judge);
    json.field("parent", trial.parent);
    if (options.times) put_places(json, trial);
    json.end_object();
    entries.push_back(std::move(json).text());
  }
  StudyInfo info = study.info();
  base::JsonWriter head;
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
  base::JsonWriter json;
  json.begin_object()
      .field("study", info.name)
      .field("trial", best->trial)
      .field("state", name_of(best->state));
  json.field("metric", info.metric).field("value", best->value);
  const Judge judge(study);
  if (!judge.objective.subject_to.empty())
    json.field("violation", judge.objective.violation(best->metrics));
  put_front(json, judge, info.metric);
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
  json.end_object().key("verdict").raw(verdict_json(study.verdict(best->trial)));
  json.key("calibration").raw(calibrated_json(study.calibration(best->trial))).end_object();
  return std::move(json).text();
}

std::string status_json(const StudyReader& study) {
  TrialCounts counts = study.counts();
  WorkCounters work = study.work();
  base::JsonWriter json;
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
  put_front(json, Judge(study), study.info().metric);
  json.key("work").begin_object().field("tasks", work.tasks).field("epochs", work.epochs);
  json.field("distinct_epochs", work.distinct_epochs)
      .field("datasets_loaded", work.datasets_loaded);
  json.field("overhead_us_per_task", work.overhead_us_per_task)
      .end_object()
      .key("workers")
      .raw(workers_json(study.workers()))
      .key("nodes")
      .raw(nodes_json(study.nodes()))
      .end_object();
  return std::move(json).text();
}

}  // namespace hpo
