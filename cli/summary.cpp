#include "cli/summary.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/words.h"
#include "cli/terminal.h"
#include "hpo/export/export.h"
#include "hpo/log/metrics.h"

namespace cli {

std::string text_length(bool program, std::int64_t steps) {
  return base::counted(steps, program ? "step" : "epoch");
}

std::string text_best(const hpo::StudyReader& study, const hpo::TrialRow& best) {
  const hpo::StudyInfo info = study.info();
  const std::string& metric = info.metric;
  std::string out = base::cat("best trial ", best.trial, " (", hpo::name_of(best.state), ", ",
                              text_length(info.programs, best.epochs), "): ", metric, " = ",
                              best.value ? result_number(*best.value) : "none", "\n");
  for (const auto& [name, value] : best.metrics)
    if (name != metric)
      out += base::cat("  ", base::printable(name), " = ", result_number(value), "\n");
  const std::string broken = study.objective().broken(best.metrics);
  if (!broken.empty()) out += base::cat("  infeasible, as all are: ", broken, "\n");
  out += base::cat("  params: ", hpo::text_of(best.params), "\n");
  const auto model = study.model();
  if (model && model->trial == best.trial)
    out += base::cat("  model: ", model->file.string(), "\n");
  return out;
}

std::string hypervolume_text(const hpo::TrialFront& front) {
  return front.hypervolume ? base::cat(", hypervolume ", result_number(*front.hypervolume)) : "";
}

std::string text_front(const hpo::StudyReader& study) {
  const hpo::Judge judge(study);
  if (!judge.front) return "";
  const std::size_t count = judge.front->trials.size();
  std::string out = base::cat("Pareto front: ", base::counted(count, "trial"),
                              hypervolume_text(*judge.front), "\n");
  const std::vector<hpo::TrialRow> trials = study.trials();
  for (const std::uint64_t number : judge.front->trials) {
    const hpo::TrialRow& trial = *std::ranges::find(trials, number, &hpo::TrialRow::trial);
    out += base::cat("  trial ", number, ": ", study.info().metric, " = ",
                     result_number(*trial.value));
    for (const hpo::OtherMetric& other : judge.objective.others) {
      const double* value = hpo::find_metric(trial.metrics, other.name);
      out += base::cat(", ", other.name, " = ", value != nullptr ? result_number(*value) : "none");
    }
    out += "\n";
  }
  return out;
}

std::string text_calibration(const std::optional<hpo::Calibrated>& calibrated) {
  if (!calibrated) return "";
  std::string out = base::cat("calibration: temperature ", calibrated->temperature);
  if (calibrated->threshold != 0.5)
    out += base::cat("; '", base::printable(calibrated->of_class, 40), "' from a probability of ",
                     calibrated->threshold, " on");
  const double* const before = hpo::find_metric(calibrated->metrics, "test.calibration_error");
  const double* const after =
      hpo::find_metric(calibrated->metrics, "test.calibrated.calibration_error");
  if (before != nullptr && after != nullptr)
    out += base::cat("; error ", base::with_digits(*before, 3), " without it, ",
                     base::with_digits(*after, 3), " with it");
  out += "\n";
  for (const auto& [name, value] : calibrated->metrics) {
    if (&value != before && &value != after)
      out += base::cat("  ", name, " = ", result_number(value), "\n");
  }
  return out;
}

std::string text_failed(std::int64_t failed, const std::string& command) {
  if (failed == 0) return "";
  return base::cat("to run ", base::counted(failed, "failed trial"), " again: ", command, "\n");
}

std::string text_verdict(const std::optional<hpo::Verdict>& verdict) {
  return verdict ? base::cat("verdict: ", base::printable(verdict->text, std::string::npos), "\n")
                 : "";
}

std::string text_baselines(const std::vector<hpo::BaselineRow>& rows, const std::string& metric) {
  const std::string tested = hpo::tested_as(metric);
  std::string out;
  for (const hpo::BaselineRow& row : rows) {
    std::string values;
    for (const auto& [name, value] : row.metrics) {
      if (name == metric || name == tested)
        values += base::cat(values.empty() ? "" : ", ", name, " = ", result_number(value));
    }
    if (values.empty()) continue;
    out += base::cat(out.empty() ? "baselines\n" : "", "  ", row.name, ": ", values, "\n");
  }
  return out;
}

}  // namespace cli
