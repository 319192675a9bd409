#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/adapted.h"
#include "cli/confusion.h"
#include "cli/importances.h"
#include "cli/lineage.h"
#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/export.h"
#include "hpo/export/lineage.h"

namespace cli {

namespace {

/// The network's shape over time; empty where it kept its size.
std::string shape_lines(const hpo::StudyReader& study, std::uint64_t trial) {
  std::string out;
  for (const hpo::EventRow& event : study.events(trial)) {
    if (event.kind != "adapted") continue;
    const auto& round = std::get<hpo::Adapted>(event.body);
    out += base::cat(out.empty() ? "\nshape\n" : "", "  ", round_line(round), "\n");
  }
  return out;
}

/// What the trial's network took for what, where it is the one that was written; else empty.
std::string confusion_text(const hpo::StudyReader& study, std::uint64_t trial) {
  std::string out;
  for (const hpo::EventRow& event : study.events(trial)) {
    if (event.kind != "exported") continue;
    const auto& exported = std::get<hpo::Exported>(event.body);
    const hpo::ConfusionTable& table = exported.confusion;
    if (table.classes.empty()) continue;
    out = base::cat("\nconfusion (rows of the ", table.part, " part)\n",
                    confusion_lines(table.classes, table.counts));
  }
  return out;
}

/// "  (importance 61%)": of each metric in turn; empty where nothing can be said.
std::string importance_text(const std::vector<hpo::MetricImportance>& importances,
                            const std::string& parameter) {
  std::string out;
  for (const hpo::MetricImportance& metric : importances) {
    const auto one = std::ranges::find(metric.parameters, parameter, &hpo::Importance::parameter);
    if (one == metric.parameters.end()) continue;
    out += base::cat(out.empty() ? "  (importance " : ", ", std::lround(100 * one->share), "%");
    if (importances.size() > 1) out += base::cat(" of ", metric.metric);
  }
  return out.empty() ? out : out + ")";
}

std::string text_trial(const hpo::StudyReader& study, const hpo::TrialRow& trial) {
  const hpo::StudyInfo info = study.info();
  std::string out = base::cat("trial ", trial.trial, ": ", tinted(hpo::name_of(trial.state)));
  if (trial.cause != hpo::Cause::none) out += base::cat(" (", hpo::name_of(trial.cause), ")");
  out +=
      base::cat(", ", text_length(info.programs, trial.epochs), ", ", short_seconds(trial.seconds),
                ", ", base::counted(trial.attempts, "attempt"), "\n");
  if (!trial.message.empty()) out += base::printable(trial.message, std::string::npos) + "\n";
  const std::string broken = study.objective().broken(trial.metrics);
  if (!broken.empty()) out += base::cat("infeasible: ", broken, "\n");
  if (const hpo::Judge judge(study); judge.front && judge.front->has(trial.trial))
    out += "on the front: no other trial beats it in all metrics\n";
  out += "\nparameters\n";
  const std::vector<hpo::MetricImportance> importances = importances_of(study);
  for (const auto& [name, value] : trial.params)
    out +=
        base::cat("  ", name, " = ", base::printable(hpo::plain_text_of(value), std::string::npos),
                  importance_text(importances, name), "\n");
  out += "\nmetrics\n";
  for (const auto& [name, value] : trial.metrics)
    out += base::cat("  ", base::printable(name), " = ", result_number(value), "\n");
  out += confusion_text(study, trial.trial);
  const std::string beside = text_baselines(study.baselines(), info.metric);
  if (!beside.empty()) out += "\n" + beside;
  const std::string verdict = text_verdict(study.verdict(trial.trial));
  if (!verdict.empty()) out += "\n" + verdict;
  out += shape_lines(study, trial.trial);
  if (trial.parent) out += "\nlineage\n" + lineage_lines(hpo::lineage_of(study, trial));
  if (!info.programs)
    out += base::cat("\ncost\n  training ", short_amount(trial.train_flops, "FLOP"), ", one row ",
                     short_amount(trial.inference_flops, "FLOP"), "\n");
  if (trial.memory)
    out += base::cat("\nmemory\n  ", base::format_bytes(*trial.memory),
                     ", its largest process at the most\n");
  out += "\nevents\n";
  for (const hpo::EventRow& event : study.events(trial.trial))
    out +=
        base::cat("  ", event.kind, " ", base::printable(event.payload(), std::string::npos), "\n");
  return out;
}

}  // namespace

void declare_show(Arguments& arguments) {
  declare_run(arguments);
  declare_trial(arguments);
  declare_json(arguments);
}

int run_show(const Arguments& arguments) {
  hpo::StudyReader study = open_run(arguments);
  const hpo::TrialRow trial = trial_of(study, arguments.text("TRIAL"), "TRIAL");
  print_view(
      arguments,
      [&] { return hpo::show_json(study, trial, hpo::shares_json(importances_of(study))); },
      [&] { return text_trial(study, trial); });
  return kDone;
}

}  // namespace cli
