#include <cstdio>
#include <map>

#include "base/error.h"
#include "cli/export_arguments.h"
#include "cli/importances.h"
#include "cli/model_path.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/tool_exports.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/export/optuna.h"
#include "hpo/study/spec.h"
#include "nn/model/model_file.h"
#include "nn/onnx/export.h"

namespace cli {

namespace {

/// A journal's distributions come from the resolved file, which the thin program cannot read.
int export_optuna(const Arguments& arguments) {
  const hpo::StudyReader study = open_run(arguments);
  write_result(arguments, hpo::optuna_journal(study, space_of(study), study.info().asked));
  return kDone;
}

}  // namespace

int run_export_model(const Arguments& arguments) {
  require_format_of_best(arguments);
  const std::string instead = exported_instead(arguments);
  if (instead == "--importance") {
    const hpo::PlotData data = hpo::importance_data(importances_of(open_run(arguments)));
    write_plot_data(arguments, data, instead);
    return data.rows.empty() ? kNothingUsable : kDone;
  }
  const std::string format = arguments.text("--format");
  if (!instead.empty() || arguments.has("--times"))
    (void)table_format(arguments, instead.empty() ? "--times" : instead);
  if (format == "optuna") return export_optuna(arguments);
  if (format == "tensorboard") return export_tensorboard(arguments);
  if (format == "mlflow") return export_mlflow(arguments);
  if (format != "onnx") throw base::Error(base::Errc::internal, "the engine exports networks only");
  if (!arguments.has("--output"))
    throw base::Error(base::Errc::usage,
                      "--format onnx works only with --output FILE, which gets the network");
  const std::string path = model_path(arguments, arguments.text("RUN")).string();
  const nn::TrainedModel model = nn::read_trained_model(path);
  write_result(arguments, nn::onnx::model_file(model, {}));
  for (const std::string& note : nn::onnx::export_notes(model))
    std::fprintf(stderr, "%s\n", note.c_str());
  return kDone;
}

}  // namespace cli
