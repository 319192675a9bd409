#include <unistd.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/shell.h"
#include "base/text.h"
#include "cli/found.h"
#include "cli/held_isa.h"
#include "cli/long_step.h"
#include "cli/output_file.h"
#include "cli/runs.h"
#include "cli/sheet.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/networks/baselines.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/warm_start.h"
#include "hpo/study/advice.h"
#include "hpo/study/command.h"
#include "hpo/study/program.h"
#include "hpo/study/trial_spec.h"
#include "nn/data/kept_tables.h"
#include "nn/evaluation/baseline.h"
#include "runtime/instance.h"

namespace cli {

namespace {

constexpr const char* kResolved = "--resolved";
constexpr std::string_view kPrinted = "-";  // the value of --resolved alone

/// The two far corners of the space, and each parameter alone at its ends: where
/// networks stop fitting.
std::vector<hpo::Params> probes(const hpo::Space& space) {
  const std::vector<double> middle = space.to_unit(space.middle());
  std::vector<std::vector<double>> points{std::vector<double>(space.size(), 0.0),
                                          std::vector<double>(space.size(), 1.0)};
  for (std::size_t i = 0; i < space.size(); ++i)
    for (double end : {0.0, 1.0}) {
      points.push_back(middle);
      points.back()[i] = end;
    }
  std::vector<hpo::Params> params;
  for (const auto& point : points) {
    hpo::Params probe = space.from_unit(point);
    if (space.allows(probe)) params.push_back(std::move(probe));
  }
  return params;
}

/// What this machine lacks for the study: the file is good all the same.
template <class Require>
void add_refusal(Sheet& sheet, Require require) {
  try {
    require();
  } catch (const base::Error& error) {
    sheet.add("machine", base::cat("this machine cannot run a sweep of it: ", error.what()));
  }
}

/// What the file may not mean as its author meant it.
void add_advice(Sheet& sheet, const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  for (const std::string& line : hpo::advice_on(base::read_file(file), file))
    sheet.add("warnings", line);
}

Sheet titled(const Arguments& arguments, std::string_view what) {
  return Sheet(base::cat(base::printable(arguments.text("FILE")), " is valid: ", what));
}

/// The commands that follow, and how to see the defaults.
void add_end(Sheet& sheet, const Arguments& arguments, const hpo::StudySpec& study) {
  const std::string file = base::shell_quoted(arguments.text("FILE"));
  const std::string dir =
      arguments.has("--dir") ? " --dir " + base::shell_quoted(arguments.text("--dir")) : "";
  add_next(sheet, study,
           base::cat("`", called_as(), study.is_asked ? " ask " : " sweep ", file, dir, "`"),
           runs_folder(arguments) / study.name);
  if (!arguments.has(kResolved))
    sheet.add("next", base::cat("`", called_as(), " check ", file, " ", kResolved,
                                "` prints the study with every default"));
}

/// Each line as a comment of YAML.
std::string commented(const std::string& text) {
  std::string out;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    out += base::cat("# ", text.substr(begin, end - begin), "\n");
  return out;
}

/// Prints what was found, and the study with every default where it is asked for: into a file, or
/// so that all that is printed is a study file.
void print(const Arguments& arguments, const Sheet& sheet, const hpo::StudySpec& study) {
  const bool quiet = arguments.has("--quiet");
  const std::string file = arguments.text(kResolved);
  const bool prints = arguments.has(kResolved) && file == kPrinted;
  if (prints) print_result((quiet ? "" : commented(sheet.text())) + hpo::resolved_yaml(study));
  if (arguments.has(kResolved) && !prints) {
    OutputFile output{base::Path(file)};
    output.write(hpo::resolved_yaml(study));
    output.finish();
  }
  if (quiet || prints) return;
  print_result(repaints_results()
                   ? sheet.wrapped(static_cast<std::size_t>(terminal_width(STDOUT_FILENO)))
                   : sheet.text());
}

/// Loading the file has tried the program's words; the middle of the space shows what they come to.
int check_program(const Arguments& arguments, const hpo::StudySpec& study) {
  hpo::require_script(study);
  const hpo::TrialCommand command = hpo::trial_command(study, study.space.middle());
  Sheet sheet = titled(arguments, "a search over the parameters of a program");
  std::string words;
  for (const std::string& word : command.words_with("TRIAL/params.json"))
    words += base::cat(words.empty() ? "" : " ", base::shell_quoted(base::printable(word, 200)));
  sheet.add("program", base::cat("each trial will run, in ",
                                 hpo::study::shown_folder(command.folder), ": ", words));
  add_advice(sheet, arguments);
  add_search(sheet, study);
  add_refusal(sheet,
              [&] { hpo::require_resources(hpo::trial_resources(study, study.space.middle())); });
  add_end(sheet, arguments, study);
  print(arguments, sheet, study);
  return kDone;
}

/// Nothing runs here: there is only the file to be looked at.
int check_asked(const Arguments& arguments, const hpo::StudySpec& study) {
  Sheet sheet = titled(arguments, "a search whose trials your program runs");
  sheet.add("program", base::cat("it gets them from: ", called_as(), " ask ",
                                 base::shell_quoted(arguments.text("FILE"))));
  add_advice(sheet, arguments);
  add_search(sheet, study);
  add_end(sheet, arguments, study);
  print(arguments, sheet, study);
  return kDone;
}

/// "reading digits.csv.gz".
std::string reading_text(const hpo::StudySpec& study) {
  const base::Path path = hpo::data_spec(study, study.space.middle()).path;
  return base::cat("reading ", base::printable(path.filename().string()));
}

/// The baselines; without the linear one where that would take more than a moment.
void add_baselines(Sheet& sheet, const hpo::LoadedStudy& loaded, LongStep& step) {
  constexpr double kMoment = 4e9;  // operations: seconds of one core
  const auto& header = loaded.data.value.get().header();
  const int folds = hpo::data_spec(loaded.study, loaded.params).split.folds;
  const double work = nn::baseline_work(header) * (folds > 0 ? folds + 1 : 1);
  const std::string name(nn::name_of(nn::Baseline::linear, header.task));
  if (work <= kMoment) step.now("fitting " + name);
  const hpo::Baselines baselines(loaded, {}, work <= kMoment);
  std::istringstream lines(text_baselines(baselines.rows(), loaded.study.metric.name));
  std::string line;
  std::getline(lines, line);  // names them
  while (std::getline(lines, line)) sheet.add("baselines", line.substr(2));
  if (work > kMoment)
    sheet.add("baselines",
              name + ": not computed here, where it would take a while; the sweep computes it");
}

/// Throws where a far corner of the space makes no network.
void try_corners(const hpo::LoadedStudy& loaded) {
  for (const hpo::Params& params : probes(loaded.study.space))
    (void)hpo::materialise(loaded.study, params, loaded.data.info);
}

int check_networks(const Arguments& arguments, const hpo::StudySpec& study) {
  LongStep step(reading_text(study), arguments.has("--quiet"));
  const nn::KeptTables kept;
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  const hpo::LoadedStudy loaded = hpo::load_settled(study);
  step.now("trying the far corners of the space");
  try_corners(loaded);
  Sheet sheet = titled(arguments, study.space.empty() ? "one network, without a search"
                                                      : "a search for the best network");
  if (arguments.has("--quiet")) {
    (void)hpo::read_warm_starts(loaded.study);
  } else {
    add_data(sheet, loaded);
    add_advice(sheet, arguments);
    add_baselines(sheet, loaded, step);
    step.now("playing the search through");
    add_search(sheet, loaded.study);
    add_cost(sheet, loaded);
    add_refusal(sheet, [&] {
      hpo::require_resources(loaded.asked);
      if (loaded.asked.gpus > 0) hpo::prepare_gpu(loaded.asked);
      hpo::require_precision(loaded.study.precision, loaded.asked);
    });
    add_end(sheet, arguments, loaded.study);
  }
  step.end();
  print(arguments, sheet, loaded.study);
  return kDone;
}

}  // namespace

void declare_check(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  declare_dir(arguments);
  arguments.flag(kResolved, "NEW", std::string(kPrinted),
                 "the study with every default, too: as YAML behind what was found, or into the "
                 "file NEW");
  arguments.flag("--quiet", "only errors, and what --resolved asks for");
}

int run_check(const Arguments& arguments) {
  const hpo::StudySpec study = hpo::load_study(arguments.text("FILE"));
  hold_to_isa(study.resources.isa);
  if (study.runs_command) return check_program(arguments, study);
  if (study.is_asked) return check_asked(arguments, study);
  return check_networks(arguments, study);
}

}  // namespace cli
