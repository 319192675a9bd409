#include "hpo/driver/plan.h"

#include "cli/runs.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "runtime/base/text.h"
#include "runtime/instance.h"

namespace cli {

void declare_plan(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  arguments.option("--workers", "N",
                   "CPU workers that the estimate of time is for (default: one a core)");
  arguments.flag("--json", "for programs");
}

int run_plan(const Arguments& arguments) {
  constexpr std::int64_t kMaxWorkers = 256;
  hpo::StudySpec study = hpo::load_study(arguments.text("FILE"));
  rt::Config config{
      .workers = static_cast<int>(arguments.integer("--workers", 1, kMaxWorkers).value_or(0))};
  rt::Runtime runtime(config);
  hpo::Plan plan = hpo::plan_study(hpo::load_settled(study), runtime.workers());
  if (arguments.has("--json")) {
    print_result(hpo::plan_json(plan));
    return kDone;
  }
  print_result(rt::cat(study.name, ": ", plan.trials, " trials, ", plan.epochs, " epochs of which ",
                       plan.distinct_epochs, " are distinct\nwork    ",
                       short_amount(plan.distinct_flops, "FLOP"), " of ",
                       short_amount(plan.flops, "FLOP"), " asked for\nmemory  ",
                       rt::format_bytes(plan.memory), " of data and networks\ntime    at least ",
                       short_seconds(plan.seconds), " on ", runtime.workers(), " workers of kind ",
                       plan.placement, "\n"));
  return kDone;
}

}  // namespace cli
