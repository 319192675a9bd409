#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "cli/output_file.h"
#include "cli/reports.h"
#include "cli/runs.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/log/study_reader.h"

namespace cli {

namespace {

constexpr const char* kOutput = "--output";  // as open_output() knows it
constexpr const char* kWithPaths = "--with-paths";

std::vector<hpo::StudyReader> open_runs(const Arguments& arguments) {
  std::vector<hpo::StudyReader> studies;
  const std::vector<std::string> runs = arguments.texts("RUN");
  for (const std::string& run : runs) {
    if (std::ranges::count(runs, run) > 1)
      throw base::Error(base::Errc::usage, base::cat("RUN: '", base::printable(run, 60),
                                                     "' is given twice; name each study once"));
    studies.emplace_back(hpo::find_run(run, runs_folder(arguments)));
  }
  return studies;
}

base::Path default_file(const Arguments& arguments, const std::vector<hpo::StudyReader>& studies) {
  const base::Path folder = studies.size() == 1 ? studies.front().folder() : runs_folder(arguments);
  return folder / hpo::kReportFile;
}

}  // namespace

void declare_report(Arguments& arguments) {
  arguments.positionals("RUN", "a study's name or its folder; several are shown side by side");
  declare_dir(arguments);
  arguments.option(
      kOutput, "FILE",
      "the page (default: report.html in the study's folder, of several studies in the "
      "folder of all)");
  arguments.flag(kWithPaths, "show absolute paths and names of machines, too");
  declare_json(arguments);
}

int run_report(const Arguments& arguments) {
  const std::vector<hpo::StudyReader> studies = open_runs(arguments);
  const base::Path file = arguments.has(kOutput) ? base::Path(arguments.text(kOutput))
                                                 : default_file(arguments, studies);
  if (file.empty())
    throw base::Error(base::Errc::usage, base::cat(kOutput, ": '', expected a file"));
  std::optional<OutputFile> output = open_output(arguments);
  hpo::ReportOptions options = report_options();
  options.with_paths = arguments.has(kWithPaths);
  const std::string page = hpo::report_page(studies, options);
  if (output)
    write_result(output, page);
  else
    base::write_file_atomic(file, page);
  print_view(
      arguments,
      [&] {
        base::JsonWriter json;
        json.begin_object().field("file", file.string()).field("bytes", page.size());
        json.key("studies").begin_array();
        for (const hpo::StudyReader& study : studies) json.value(study.info().name);
        json.end_array().end_object();
        return std::move(json).text();
      },
      [&] { return file.string(); });
  return kDone;
}

}  // namespace cli
