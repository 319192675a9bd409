#include "base/text.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/export.h"
#include "hpo/log/metrics.h"

namespace cli {

namespace {

hpo::TrialChoice choice_of(const Arguments& arguments) {
  return {.front = arguments.has("--front"),
          .sort = arguments.has("--sort") ? arguments.text("--sort") : ""};
}

std::string cell_of(const hpo::TrialRow& trial, const std::string& metric) {
  const double* value = hpo::find_metric(trial.metrics, metric);
  return value == nullptr ? "-" : short_number(*value);
}

std::string text_trials(const hpo::StudyReader& study, const hpo::TrialChoice& choice) {
  const hpo::Judge judge(study);
  std::vector<std::string> header{"trial", "state", study.info().metric};
  for (const hpo::OtherMetric& other : judge.objective.others) header.push_back(other.name);
  header.emplace_back(study.info().programs ? "steps" : "epochs");
  std::vector<std::string> names = study.parameter_names();
  header.insert(header.end(), names.begin(), names.end());
  Table table(std::move(header));
  for (const hpo::TrialRow& trial : hpo::chosen_trials(study, choice)) {
    std::string state(hpo::name_of(trial.state));
    if (trial.cause != hpo::Cause::none) state += base::cat(" (", hpo::name_of(trial.cause), ")");
    if (judge.objective.violation(trial.metrics) > 0) state += ", infeasible";
    if (judge.front && judge.front->has(trial.trial)) state += ", front";
    std::vector<std::string> cells{std::to_string(trial.trial), tinted(state),
                                   trial.value ? short_number(*trial.value) : "-"};
    for (const hpo::OtherMetric& other : judge.objective.others)
      cells.push_back(cell_of(trial, other.name));
    cells.push_back(std::to_string(trial.epochs));
    for (const std::string& name : names) {
      const hpo::ParamValue* value = trial.params.find(name);
      const double* number = value ? std::get_if<double>(value) : nullptr;
      cells.push_back(!value   ? "-"
                      : number ? short_number(*number)
                               : base::printable(hpo::plain_text_of(*value), std::string::npos));
    }
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

void declare_trials(Arguments& arguments) {
  declare_run(arguments);
  arguments.option(
      "--sort", "NAME",
      "by a metric that is searched for, the best first; by another one or a parameter, ascending");
  arguments.flag("--front", "of several metrics: only the trials that no other beats in all");
  declare_json(arguments);
}

int run_trials(const Arguments& arguments) {
  hpo::StudyReader study = open_run(arguments);
  print_view(
      arguments, [&] { return hpo::trials_json(study, choice_of(arguments)); },
      [&] { return text_trials(study, choice_of(arguments)); });
  return kDone;
}

}  // namespace cli
