#include "cli/tool_exports.h"

#include <cstdio>
#include <cstdlib>
#include <string>
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
#include "hpo/mlflow/mlflow.h"

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

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// The variables that MLflow's own client reads.
hpo::HttpServer server_of(const hpo::MlflowAddress& address) {
  return {.address = address.host,
          .user = from_environment("MLFLOW_TRACKING_USERNAME"),
          .password = from_environment("MLFLOW_TRACKING_PASSWORD"),
          .token = from_environment("MLFLOW_TRACKING_TOKEN"),
          .certificates = from_environment("MLFLOW_TRACKING_SERVER_CERT_PATH"),
          .trust_any_server = from_environment("MLFLOW_TRACKING_INSECURE_TLS") == "true"};
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

int export_mlflow(const Arguments& arguments) {
  const std::string given = arguments.has("--output") ? arguments.text("--output")
                                                      : from_environment("MLFLOW_TRACKING_URI");
  if (given.empty())
    throw base::Error(base::Errc::usage,
                      "--format mlflow works only with --output ADDRESS, as in "
                      "http://localhost:5000, or with MLFLOW_TRACKING_URI set");
  const hpo::MlflowAddress address = hpo::parse_mlflow_address(given);
  const hpo::StudyReader study = open_run(arguments);
  const std::vector<hpo::TrialRow> trials = exported_trials(arguments, study);
  hpo::MlflowServer server(hpo::connect_http(server_of(address)), address);
  const hpo::MlflowSent sent = hpo::send_to_mlflow(study, trials, server);
  std::fprintf(stderr, "%s: %zu new runs, %zu changed, %zu as they were\n",
               base::printable(given).c_str(), sent.created, sent.changed, sent.unchanged);
  if (sent.frozen > 0)
    base::warn(base::cat(sent.frozen,
                         " runs keep the parameters that they were sent with first: "
                         "MLflow never changes one"));
  return kDone;
}

}  // namespace cli
