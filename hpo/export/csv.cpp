#include <algorithm>
#include <set>

#include "base/text.h"
#include "hpo/export/export.h"
#include "hpo/log/metrics.h"
#include "nn/data/csv_line.h"

namespace hpo {

std::string export_csv(const StudyReader& study, const ExportOptions& options) {
  std::vector<TrialRow> trials = study.trials();
  std::vector<std::string> parameters = study.parameter_names();
  std::set<std::string> metrics;
  for (const TrialRow& trial : trials) {
    for (const auto& [name, value] : trial.metrics) metrics.insert(name);
  }

  const Judge judge(study);
  const bool bounded = !judge.objective.subject_to.empty();
  std::string out;
  {
    nn::CsvLine line(out);
    for (const char* name : {"trial", "state", "cause", "value"}) line.cell(name);
    if (bounded) line.cell("violation");
    if (judge.front) line.cell("front");
    for (const std::string& name : parameters) line.cell("params." + name);
    for (const std::string& name : metrics) line.cell("metrics." + name);
    for (const char* name : {"step", "epochs", "parent"}) line.cell(name);
    if (options.times) line.cell("attempts").cell("seconds");
  }
  for (const TrialRow& trial : trials) {
    nn::CsvLine line(out);
    line.cell(std::to_string(trial.trial)).cell(std::string(name_of(trial.state)));
    line.cell(std::string(name_of(trial.cause)))
        .cell(trial.value ? base::format_double(*trial.value) : "");
    if (bounded)
      line.cell(trial.value ? base::format_double(judge.objective.violation(trial.metrics)) : "");
    if (judge.front) line.cell(judge.front->has(trial.trial) ? "true" : "false");
    for (const std::string& name : parameters) {
      const ParamValue* value = trial.params.find(name);
      line.cell(value ? plain_text_of(*value) : "");
    }
    for (const std::string& name : metrics) {
      const double* value = find_metric(trial.metrics, name);
      line.cell(value != nullptr ? base::format_double(*value) : "");
    }
    line.cell(std::to_string(trial.step)).cell(std::to_string(trial.epochs));
    line.cell(trial.parent ? std::to_string(*trial.parent) : "");
    if (options.times)
      line.cell(std::to_string(trial.attempts)).cell(base::format_double(trial.seconds));
  }
  return out;
}

}  // namespace hpo
