#include "cli/runs.h"

#include <cerrno>
#include <cstdio>

namespace cli {

void declare_dir(Arguments& arguments) {
  arguments.option("--dir", "D", "folder of the studies (default: runs, under the current folder)");
}

bool is_study_file(const rt::Path& path) {
  return (path.extension() == ".yaml" || path.extension() == ".yml") && rt::file_size(path);
}

rt::Path runs_folder(const Arguments& arguments) {
  return arguments.has("--dir") ? rt::Path(arguments.text("--dir")) : rt::Path("runs");
}

void declare_run(Arguments& arguments) {
  arguments.positional("RUN", "a study's name or its folder");
  declare_dir(arguments);
}

hpo::StudyReader open_run(const Arguments& arguments) {
  return hpo::StudyReader(hpo::find_run(arguments.text("RUN"), runs_folder(arguments)));
}

void declare_json(Arguments& arguments) { arguments.flag("--json", "for programs"); }

void print_result(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!text.empty() && text.back() != '\n') std::fputc('\n', stdout);
  // A reader that left early (`| head`) has what it wanted; a full disk does not.
  if (std::fflush(stdout) != 0 && errno != EPIPE)
    throw rt::storage_error("write", "standard output", errno);
}

}  // namespace cli
