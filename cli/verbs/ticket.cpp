#include <string>

#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/nodes/ticket.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/spec.h"

namespace cli {

void declare_ticket(Arguments& arguments) {
  arguments.positional("RUN", "a study's name or folder, or its file");
  declare_dir(arguments);
  arguments.option("--address", "HOST",
                   "where agents reach the driver's machine (default: its first network)");
}

int run_ticket(const Arguments& arguments) {
  const std::string run = arguments.text("RUN");
  const base::Path folder = is_study_file(run) ? runs_folder(arguments) / hpo::load_study(run).name
                                               : hpo::find_run(run, runs_folder(arguments));
  print_result(hpo::ticket_text(hpo::make_ticket(folder, arguments.text("--address"))));
  return kDone;
}

}  // namespace cli
