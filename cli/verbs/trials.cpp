#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/export.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

std::string text_trials(const hpo::StudyReader& study) {
  std::vector<std::string> header{"trial", "state", study.info().metric, "epochs"};
  std::vector<std::string> names = study.parameter_names();
  header.insert(header.end(), names.begin(), names.end());
  Table table(std::move(header));
  const hpo::Objective objective = study.objective();
  for (const hpo::TrialRow& trial : study.trials()) {
    std::string state(hpo::name_of(trial.state));
    if (trial.cause != hpo::Cause::none) state += rt::cat(" (", hpo::name_of(trial.cause), ")");
    if (objective.violation(trial.metrics) > 0) state += ", infeasible";
    std::vector<std::string> cells{std::to_string(trial.trial), tinted(state),
                                   trial.value ? short_number(*trial.value) : "-",
                                   std::to_string(trial.epochs)};
    for (const std::string& name : names) {
      const hpo::ParamValue* value = trial.params.find(name);
      auto number = value ? hpo::number_of(*value) : std::nullopt;
      cells.push_back(!value ? "-" : number ? short_number(*number) : hpo::plain_text_of(*value));
    }
    table.row(std::move(cells));
  }
  return table.text();
}

}  // namespace

void declare_trials(Arguments& arguments) {
  declare_run(arguments);
  declare_json(arguments);
}

int run_trials(const Arguments& arguments) {
  hpo::StudyReader study = open_run(arguments);
  print_view(
      arguments, [&] { return hpo::trials_json(study); }, [&] { return text_trials(study); });
  return kDone;
}

}  // namespace cli
