#include "hpo/export/export.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/export_arguments.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/candidates.h"
#include "hpo/export/plot_data.h"

namespace cli {

int run_export(const Arguments& arguments) {
  std::string format = arguments.has("--format") ? arguments.text("--format") : "csv";
  if (format != "csv" && format != "json") {
    const std::string known[] = {"csv", "json", "mlflow", "onnx", "optuna", "tensorboard"};
    throw base::Error(base::Errc::usage,
                      base::cat("--format: '", base::printable(format, 60),
                                "', expected csv, json, mlflow, onnx, optuna or tensorboard",
                                base::did_you_mean(format, known)));
  }
  require_format_of_best(arguments);
  hpo::StudyReader study = open_run(arguments);
  hpo::ExportOptions options{.times = arguments.has("--times")};
  const std::string instead = exported_instead(arguments);
  if (options.times && !instead.empty())
    throw base::Error(base::Errc::usage,
                      base::cat("--times cannot be used with ", instead, ", which has no times"));
  if (instead == "--edf" || instead == "--slice") {
    write_plot_data(arguments, instead == "--edf" ? hpo::edf_of(study) : hpo::slices_of(study),
                    instead);
    return kDone;
  }
  const bool candidates = instead == "--candidates";
  if (candidates && format != "csv")
    throw base::Error(base::Errc::usage, "--candidates works only with --format csv");
  std::string text = candidates        ? hpo::candidates_csv(hpo::candidates_of(study))
                     : format == "csv" ? hpo::export_csv(study, options)
                                       : hpo::export_json(study, options);
  write_result(arguments, text);
  return kDone;
}

}  // namespace cli
