#include "hpo/serve/serve.h"

#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "cli/reports.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/study_reader.h"

namespace cli {

namespace {

constexpr int kPort = 8421;

/// One study where a study is named, else all in a folder.
void choose_studies(hpo::ServeOptions& options, const Arguments& arguments) {
  const std::string word = arguments.text("RUN|DIR");
  base::Path folder = word.empty() ? runs_folder(arguments) : base::Path(word);
  const bool is_folder = std::filesystem::is_directory(folder);
  if (word.empty() && !is_folder)
    throw base::Error(base::Errc::usage,
                      base::cat(folder.string(),
                                " is no folder, expected one with studies; start "
                                "one with trellis sweep FILE, or name another "
                                "folder"));
  if (!is_folder || base::file_size(folder / "study.db")) {
    folder = std::filesystem::canonical(word.empty() ? folder
                                                     : hpo::find_run(word, runs_folder(arguments)));
    options.only = folder.filename().string();
    folder = folder.parent_path();
  }
  options.folder = std::filesystem::absolute(folder);
}

}  // namespace

void declare_serve(Arguments& arguments) {
  arguments.positional(
      "RUN|DIR", "a study's name or its folder, or a folder of studies (default: that of all)",
      false);
  declare_dir(arguments);
  arguments.option("--port", "N", base::cat("the port (default: ", kPort, "); 0: any free one"));
  arguments.option(
      "--host", "ADDRESS",
      "the address to listen on (default: this machine alone); then every reader needs "
      "the token that is printed");
  arguments.flag("--control", "let whoever has the token that is printed stop studies");
  arguments.flag("--with-paths", "show absolute paths and names of machines, too");
}

int run_serve(const Arguments& arguments) {
  hpo::ServeOptions options;
  choose_studies(options, arguments);
  options.port = static_cast<int>(arguments.integer("--port", 0, 65'535).value_or(kPort));
  options.host = arguments.text("--host");
  if (arguments.has("--host") && options.host.empty())
    throw base::Error(base::Errc::usage, "--host: '', expected an address");
  options.control = arguments.has("--control");
  options.report = report_options();
  options.report.with_paths = arguments.has("--with-paths");
  hpo::serve_studies(std::move(options),
                     [](const std::string& url) { print_result(base::cat(url, "\n")); });
  return kDone;
}

}  // namespace cli
