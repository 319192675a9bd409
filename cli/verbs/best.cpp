#include <cstdio>

#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/export.h"

namespace cli {

void declare_best(Arguments& arguments) {
  declare_run(arguments);
  declare_json(arguments);
}

int run_best(const Arguments& arguments) {
  hpo::StudyReader study = open_run(arguments);
  auto best = study.best();
  if (!best) {
    std::fprintf(stderr, "trellis: %s\n", no_value(study).c_str());
    return kNothingUsable;
  }
  print_view(
      arguments, [&] { return hpo::best_json(study); },
      [&] {
        return text_best(study, *best) + text_front(study) +
               text_baselines(study.baselines(), study.info().metric) +
               text_calibration(study.calibration(best->trial)) +
               text_verdict(study.verdict(best->trial));
      });
  return kDone;
}

}  // namespace cli
