#include <cmath>

#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/importance/of_study.h"
#include "hpo/study/spec.h"
#include "runtime/base/text.h"

namespace cli {

namespace {

std::string text_importance(const hpo::StudyReader& run,
                            const std::vector<hpo::Importance>& importance) {
  if (importance.empty())
    return rt::cat("nothing can be said yet: expected ", hpo::kFewestOutcomes,
                   " trials that ended, and a parameter that varies");
  Table table({"parameter", "importance", "trials"});
  for (const hpo::Importance& one : importance)
    table.row(
        {one.parameter, rt::cat(std::lround(100 * one.share), "%"), std::to_string(one.trials)});
  return rt::cat("what sets the best tenth of the trials apart, by ", run.info().metric, "\n\n",
                 table.text());
}

}  // namespace

void declare_importance(Arguments& arguments) {
  declare_run(arguments);
  declare_json(arguments);
}

int run_importance(const Arguments& arguments) {
  const hpo::StudyReader run = open_run(arguments);
  const hpo::StudySpec study =
      hpo::parse_study(run.resolved(), (run.folder() / "study.yaml").string(), "/");
  const auto importance = hpo::importance_of(study.space, run.trials(), run.objective());
  print_view(
      arguments, [&] { return hpo::json_of(importance); },
      [&] { return text_importance(run, importance); });
  return importance.empty() ? kNothingUsable : kDone;
}

}  // namespace cli
