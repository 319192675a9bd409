#include "base/json_writer.h"
#include "base/text.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/ask/keeper.h"
#include "hpo/ask/session.h"
#include "hpo/log/study_reader.h"
#include "hpo/study/asked.h"
#include "hpo/study/spec.h"

namespace cli {

namespace {

constexpr std::int64_t kIdle = 60;

}  // namespace

void declare_keep(Arguments& arguments) {
  arguments.positional("RUN", "a study's name or folder, or a study file");
  declare_dir(arguments);
  arguments.flag("--read",
                 "starts none: prints the folder and the greeting, whoever runs the trials");
  arguments.option("--idle", "SECONDS", "ends when nobody was connected so long (default: 60)");
}

int run_keep(const Arguments& arguments) {
  const std::string run = arguments.text("RUN");
  const double idle =
      static_cast<double>(arguments.integer("--idle", 1, 1'000'000'000).value_or(kIdle));
  base::Path folder;
  hpo::StudySpec study;
  const bool file = is_study_file(run);
  if (file) {
    study = hpo::load_study(run);
    folder = runs_folder(arguments) / study.name;
  } else {
    folder = hpo::find_run(run, runs_folder(arguments));
    study = hpo::load_study(folder / "study.yaml");
  }
  if (arguments.has("--read")) {
    (void)hpo::StudyReader(folder);
    base::JsonWriter json;
    json.begin_object().field("folder", folder.string()).field("asked", study.is_asked);
    json.key("greeting").raw(hpo::ask_greeting(study)).end_object();
    print_result(std::move(json).text());
    return kDone;
  }
  hpo::start_keeper(study, file ? hpo::ReadFrom::file : hpo::ReadFrom::folder, folder, idle);
  print_result(folder.string());
  return kDone;
}

}  // namespace cli
