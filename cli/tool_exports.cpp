#include "cli/tool_exports.h"

#include <cstdio>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/export_arguments.h"
#include "cli/importances.h"
#include "cli/runs.h"
#include "cli/verb.h"
#include "hpo/export/best_trials.h"
#include "hpo/export/tensorboard.h"

namespace cli {

namespace {

/// From here on TensorBoard takes minutes to open a study.
constexpr std::size_t kManyRuns = 1000;

/// The trials that --best leaves.
std::vector<hpo::TrialRow> exported_trials(const Arguments& arguments,
                                           const hpo::StudyReader& study) {
  const auto best = arguments.integer("--best", 1, 1'000'000'000);
  return best ? hpo::best_trials(study, static_cast<std::size_t>(*best)) : study.trials();
}

}  // namespace

int export_tensorboard(const Arguments& arguments) {
  if (!arguments.has("--output"))
    throw base::Error(base::Errc::usage,
                      "--format tensorboard works only with --output FOLDER, which gets the event "
                      "files");
  const hpo::StudyReader study = open_run(arguments);
  const std::vector<hpo::TrialRow> trials = exported_trials(arguments, study);
  if (trials.size() > kManyRuns)
    base::warn(base::cat(trials.size(), " trials: TensorBoard is slow with more than ", kManyRuns,
                         "; --best ", kManyRuns, " leaves the best ones"));
  const std::string folder = arguments.text("--output");
  hpo::write_tensorboard(study, space_of(study), trials, folder);
  std::fprintf(stderr, "%zu trials; tensorboard --logdir %s\n", trials.size(),
               base::printable(folder).c_str());
  return kDone;
}

}  // namespace cli
