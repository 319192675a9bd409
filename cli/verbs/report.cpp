#include <algorithm>
#include <cstdio>
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
#include "hpo/report/figures/figure.h"
#include "hpo/report/figures/write.h"

namespace cli {

namespace {

constexpr const char* kOutput = "--output";  // as open_output() knows it
constexpr const char* kWithPaths = "--with-paths";
constexpr const char* kFigures = "--figures";
constexpr const char* kFigure = "--figure";
constexpr const char* kFormat = "--format";
constexpr const char* kWidth = "--width";

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

/// "history,curves" and "--figure history --figure curves" are the same.
std::vector<std::string> figure_names(const Arguments& arguments) {
  std::vector<std::string> names;
  for (const std::string& text : arguments.texts(kFigure)) {
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(',', at), text.size());
      names.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  return names;
}

void require_page(const Arguments& arguments) {
  for (const char* option : {kFigure, kFormat, kWidth})
    if (arguments.has(option))
      throw base::Error(base::Errc::usage, base::cat(option, " is for ", kFigures, " DIR"));
}

int write_figures(const Arguments& arguments) {
  if (arguments.has(kOutput))
    throw base::Error(base::Errc::usage, base::cat(kOutput, " and ", kFigures,
                                                   " exclude each other: figures are written "
                                                   "into a folder, not the page"));
  const base::Path folder = arguments.text(kFigures);
  if (folder.empty())
    throw base::Error(base::Errc::usage, base::cat(kFigures, ": '', expected a folder"));
  hpo::FigureOptions options{.names = figure_names(arguments),
                             .with_paths = arguments.has(kWithPaths)};
  if (arguments.has(kFormat)) options.format = hpo::figure_format_of(arguments.text(kFormat));
  if (const auto width = arguments.integer(kWidth, hpo::kNarrowestFigure, hpo::kWidestFigure))
    options.width = static_cast<double>(*width);
  const std::vector<hpo::StudyReader> studies = open_runs(arguments);
  if (studies.size() > 1)
    throw base::Error(base::Errc::usage,
                      base::cat(kFigures, " draws one study; got ", studies.size()));
  const hpo::WrittenFigures all = hpo::write_figures(studies.front(), folder, options);
  print_view(
      arguments,
      [&] {
        base::JsonWriter json;
        json.begin_object().key("figures").begin_array();
        for (const hpo::WrittenFigure& one : all.written)
          json.begin_object()
              .field("name", one.name)
              .field("file", one.picture.string())
              .field("data", one.data.string())
              .end_object();
        json.end_array().end_object();
        return std::move(json).text();
      },
      [&] {
        std::string out;
        for (const hpo::WrittenFigure& one : all.written) out += one.picture.string() + "\n";
        return out;
      });
  for (const std::string& line : all.lacking)
    std::fputs(base::cat("trellis: ", line, "\n").c_str(), stderr);
  return all.written.empty() || !all.lacking.empty() ? kNothingUsable : kDone;
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
  arguments.option(kFigures, "DIR",
                   "write figures for a paper into this folder in place of the page, and beside "
                   "each one its data as csv");
  std::string figures =
      "a figure that the folder gets, repeatable (default: all that the study "
      "has):";
  for (const hpo::figures::Figure& figure : hpo::figures::all_figures())
    figures += base::cat(&figure == hpo::figures::all_figures().data() ? " " : ", ", figure.name);
  arguments.option(kFigure, "NAME", figures, true);
  arguments.option(kFormat, "FORMAT", "svg (default), pdf or png; the last two need rsvg-convert");
  arguments.option(kWidth, "MM",
                   base::cat("width of the figures in millimeters, from ", hpo::kNarrowestFigure,
                             " to ", hpo::kWidestFigure, " (default: 85 or 175, as suits each)"));
  declare_json(arguments);
}

int run_report(const Arguments& arguments) {
  if (arguments.has(kFigures)) return write_figures(arguments);
  require_page(arguments);
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
