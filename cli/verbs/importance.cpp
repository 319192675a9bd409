#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/importances.h"
#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

namespace {

std::string text_importance(const hpo::MetricImportance& importance) {
  if (importance.parameters.empty())
    return base::cat("too little to go by yet: importance needs ", hpo::kFewestOutcomes,
                     " trials that ended, and a parameter that varies");
  Table table({"parameter", "importance", "trials"}, 1);
  for (const hpo::Importance& one : importance.parameters)
    table.row(
        {one.parameter, base::cat(std::lround(100 * one.share), "%"), std::to_string(one.trials)});
  return base::cat("what sets the best tenth of the trials apart, by ", importance.metric, "\n\n",
                   table.text());
}

}  // namespace

void declare_importance(Arguments& arguments) {
  declare_run(arguments);
  declare_json(arguments);
}

int run_importance(const Arguments& arguments) {
  const std::vector<hpo::MetricImportance> importances = importances_of(open_run(arguments));
  print_view(
      arguments, [&] { return hpo::json_of(hpo::importance_data(importances)); },
      [&] {
        std::string text;
        for (const hpo::MetricImportance& one : importances)
          text += base::cat(text.empty() ? "" : "\n", text_importance(one));
        return text;
      });
  const bool nothing = std::ranges::all_of(
      importances, [](const hpo::MetricImportance& one) { return one.parameters.empty(); });
  return nothing ? kNothingUsable : kDone;
}

}  // namespace cli
