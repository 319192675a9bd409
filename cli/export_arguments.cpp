// What `export` takes: declared here, because both programs carry a part of it.

#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"

namespace cli {

void declare_export(Arguments& arguments) {
  declare_run(arguments);
  arguments.option("--format", "csv|json|onnx|optuna",
                   "the trials (default: csv; optuna: a journal file), or the best network as "
                   "onnx");
  arguments.option("--output", "FILE", "write there instead of to the terminal");
  arguments.flag("--candidates", "what adapting networks tried instead of the trials (csv)");
  arguments.flag("--times", "add attempts and seconds, which differ from run to run");
}

}  // namespace cli
