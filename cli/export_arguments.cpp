// What `export` takes: declared here, because both programs carry a part of it.

#include "cli/export_arguments.h"

#include "base/error.h"
#include "base/text.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

void declare_export(Arguments& arguments) {
  declare_run(arguments);
  arguments.option("--format", "csv|json|mlflow|onnx|optuna|tensorboard",
                   "the trials (default: csv; optuna: a journal file; tensorboard: event files; "
                   "mlflow: to a server), or the best network as onnx");
  arguments.option("--output", "FILE",
                   "write there instead of to the terminal; for tensorboard a folder, for mlflow "
                   "the server's address");
  arguments.option("--best", "N", "only the N best trials (tensorboard, mlflow)");
  arguments.flag("--candidates", "what adapting networks tried instead of the trials (csv)");
  arguments.flag("--edf", "instead of the trials: what share of them has each value or less");
  arguments.flag("--slice", "instead of the trials: what they had along each parameter");
  arguments.flag("--importance", "instead of the trials: how much each parameter matters");
  arguments.flag("--times", "add attempts and seconds, which differ from run to run");
}

std::string exported_instead(const Arguments& arguments) {
  std::string given;
  for (const char* flag : {"--candidates", "--edf", "--slice", "--importance"}) {
    if (!arguments.has(flag)) continue;
    if (!given.empty())
      throw base::Error(base::Errc::usage,
                        base::cat(given, " and ", flag, " cannot be used together"));
    given = flag;
  }
  return given;
}

void require_format_of_best(const Arguments& arguments) {
  const std::string format = arguments.text("--format");
  if (!arguments.has("--best") || format == "tensorboard" || format == "mlflow") return;
  throw base::Error(base::Errc::usage, "--best works only with --format tensorboard or mlflow");
}

std::string table_format(const Arguments& arguments, const std::string& what) {
  std::string format = arguments.has("--format") ? arguments.text("--format") : "csv";
  if (format == "csv" || format == "json") return format;
  throw base::Error(base::Errc::usage, what + " works only with --format csv or json");
}

void write_plot_data(const Arguments& arguments, const hpo::PlotData& data,
                     const std::string& what) {
  write_result(arguments, table_format(arguments, what) == "csv" ? hpo::csv_of(data)
                                                                 : hpo::json_of(data) + "\n");
}

}  // namespace cli
