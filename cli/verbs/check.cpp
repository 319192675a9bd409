#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/shell.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/held_isa.h"
#include "cli/run_options.h"
#include "cli/runs.h"
#include "cli/summary.h"
#include "cli/verbs/verb_functions.h"
#include "hpo/driver/networks/baselines.h"
#include "hpo/driver/networks/loaded_study.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/warm_start.h"
#include "hpo/samplers/registry.h"
#include "hpo/space/share.h"
#include "hpo/study/advice.h"
#include "hpo/study/command.h"
#include "hpo/study/real_time.h"
#include "hpo/study/trial_spec.h"
#include "nn/evaluation/baseline.h"
#include "runtime/instance.h"

namespace cli {

namespace {

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

/// What a population explores and what its members keep from birth; empty for other methods.
std::string exploration_line(const hpo::StudySpec& study) {
  if (study.explorable.empty() && study.reshape.empty()) return "";
  std::string explored, kept;
  for (const hpo::Parameter& parameter : study.space.parameters()) {
    const bool moves =
        std::ranges::find(study.explorable, parameter.name) != study.explorable.end();
    if (std::holds_alternative<hpo::Constant>(parameter.domain)) continue;
    std::string& list = moves ? explored : kept;
    list += (list.empty() ? "" : ", ") + parameter.name;
  }
  return base::cat("  ", study.method.kind, " explores ",
                   explored.empty() ? "shapes only" : explored,
                   kept.empty() ? "" : base::cat("; drawn once and inherited: ", kept), "\n");
}

/// What a sampler that chooses by itself chose, and why; empty for other methods.
std::string choice_line(const hpo::StudySpec& study) {
  const std::string reason = hpo::sampler_reason(study.method.kind, study.space,
                                                 {.metrics = 1 + study.others.size(),
                                                  .trials = study.limits.trials,
                                                  .parallel = study.parallel});
  return reason.empty() ? "" : base::cat("  method ", study.method.kind, ": ", reason, "\n");
}

/// How many trials a grid comes to; empty for other methods.
std::string grid_line(const hpo::StudySpec& study) {
  if (study.method.kind != "grid") return "";
  const std::uint64_t points = study.space.grid_size().value();
  const auto limit = static_cast<std::uint64_t>(study.limits.trials.value_or(INT64_MAX));
  return base::cat(
      "  method grid: ", base::grouped(points), points == 1 ? " point" : " points",
      limit < points ? base::cat("; limits.trials allows ", base::grouped(limit), " of them") : "",
      "\n");
}

/// How much of the space forbidden combinations leave; empty without any.
std::string forbid_line(const hpo::Space& space) {
  if (space.forbidden().empty()) return "";
  const auto points = space.grid_size();
  if (points) return base::cat("  forbid leaves ", base::counted(*points, "point"), "\n");
  constexpr double kLeast = 1e-4;
  const double share = hpo::allowed_share(space);
  if (share < kLeast) return "  forbid leaves less than 0.01% of the space\n";
  return base::cat("  forbid leaves about ", base::with_digits(100 * share, 3), "% of the space\n");
}

std::string search_lines(const hpo::StudySpec& study) {
  return choice_line(study) + grid_line(study) + forbid_line(study.space);
}

/// What the search knows from the start; empty without earlier studies.
std::string known_lines(const hpo::StudySpec& study) {
  std::string text;
  for (const hpo::WarmStart& start : hpo::read_warm_starts(study))
    text += base::cat("  ", hpo::text_of(start), "\n");
  return text;
}

void say_real_time_keys(const hpo::StudySpec& study) {
  const std::string keys = base::listed(hpo::real_time_keys(study));
  if (!keys.empty())
    std::fprintf(stderr, "  %s: decided outside the study, so another run may differ\n",
                 keys.c_str());
}

/// What this machine lacks for the study: the file is good all the same.
template <class Require>
void say_refusal(Require require) {
  try {
    require();
  } catch (const base::Error& error) {
    std::fprintf(stderr, "  this machine cannot run a sweep of it: %s\n", error.what());
  }
}

/// What the file may not mean as its author meant it.
void say_advice(const Arguments& arguments) {
  const std::string file = arguments.text("FILE");
  for (const std::string& line : hpo::advice_on(base::read_file(file), file))
    std::fprintf(stderr, "  %s\n", line.c_str());
}

/// Loading the file has tried the program's words; the middle of the space shows what they come to.
int check_program(const Arguments& arguments, const hpo::StudySpec& study) {
  hpo::require_script(study);
  const hpo::TrialCommand command = hpo::trial_command(study, study.space.middle());
  const std::string known = known_lines(study);
  if (arguments.has("--quiet")) return kDone;
  print_result(hpo::resolved_yaml(study));
  std::string words;
  for (const std::string& word : command.words_with("TRIAL/params.json"))
    words += base::cat(words.empty() ? "" : " ", base::shell_quoted(base::printable(word, 200)));
  std::fprintf(stderr, "%s is valid. Each trial will run, in %s: %s\n",
               base::printable(arguments.text("FILE")).c_str(), command.folder.c_str(),
               words.c_str());
  say_advice(arguments);
  std::fputs((search_lines(study) + known).c_str(), stderr);
  say_refusal([&] { hpo::require_resources(hpo::trial_resources(study, study.space.middle())); });
  say_real_time_keys(study);
  return kDone;
}

/// Says which large file is about to be read: that takes a while.
void say_large_file(const hpo::StudySpec& study) {
  constexpr std::uintmax_t kLarge = std::uintmax_t{64} << 20;  // a second of reading, or more
  const std::filesystem::path path = hpo::data_spec(study, study.space.middle()).path;
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error || bytes < kLarge) return;
  std::fprintf(stderr, "  reading %s (%s)\n", base::printable(path.filename().string()).c_str(),
               base::format_bytes(bytes).c_str());
}

/// The baselines; without the linear one where that would take more than a moment.
std::string baseline_lines(const hpo::LoadedStudy& loaded) {
  constexpr double kMoment = 4e9, kNoticeable = 1e9;  // operations: seconds of one core
  const auto& header = loaded.data.value.get().header();
  const int folds = hpo::data_spec(loaded.study, loaded.params).split.folds;
  const double work = nn::baseline_work(header) * (folds > 0 ? folds + 1 : 1);
  const std::string name(nn::name_of(nn::Baseline::linear, header.task));
  if (work > kMoment)
    std::fprintf(stderr, "  %s would take a while here: a sweep fits it\n", name.c_str());
  else if (work > kNoticeable)
    std::fprintf(stderr, "  fitting %s\n", name.c_str());
  const hpo::Baselines baselines(loaded, {}, work <= kMoment);
  return text_baselines(baselines.rows(), loaded.study.metric.name);
}

/// Nothing runs here: there is only the file to be looked at.
int check_asked(const Arguments& arguments, const hpo::StudySpec& study) {
  const std::string known = known_lines(study);
  if (arguments.has("--quiet")) return kDone;
  print_result(hpo::resolved_yaml(study));
  const std::string file = base::printable(arguments.text("FILE"));
  std::fprintf(stderr, "%s is valid. Your program runs its trials, which it gets from: %s ask %s\n",
               file.c_str(), called_as().c_str(),
               base::shell_quoted(arguments.text("FILE")).c_str());
  say_advice(arguments);
  std::fputs((search_lines(study) + known).c_str(), stderr);
  return kDone;
}

}  // namespace

void declare_check(Arguments& arguments) {
  arguments.positional("FILE", "study file (YAML)");
  arguments.flag("--quiet", "only errors");
}

int run_check(const Arguments& arguments) {
  hpo::StudySpec study = hpo::load_study(arguments.text("FILE"));
  hold_to_isa(study.resources.isa);
  if (study.runs_command) return check_program(arguments, study);
  if (study.is_asked) return check_asked(arguments, study);
  if (!arguments.has("--quiet")) say_large_file(study);
  rt::Runtime runtime({.executor = rt::Executor::sequential});
  const hpo::LoadedStudy loaded = hpo::load_settled(study);
  for (const hpo::Params& params : probes(study.space))
    (void)hpo::materialise(loaded.study, params, loaded.data.info);
  const std::string known = known_lines(loaded.study);
  if (arguments.has("--quiet")) return kDone;
  print_result(hpo::resolved_yaml(loaded.study));
  const auto& header = loaded.data.value.get().header();
  const std::string replayed =
      header.replayed_rows > 0 ? base::cat(" and ", header.replayed_rows, " old ones") : "";
  std::fprintf(stderr, "%s is valid. %s\n", base::printable(arguments.text("FILE")).c_str(),
               base::cat(header.rows, " rows of ", header.cols, " inputs: ", header.new_rows(),
                         replayed, " to train, ", header.valid_rows, " to choose by, ",
                         header.test_rows, " for the final test")
                   .c_str());
  if (const int folds = hpo::data_spec(loaded.study, loaded.params).split.folds; folds > 0)
    std::fprintf(
        stderr,
        "  the first of %d folds is shown: every trial trains %d networks and reports their "
        "mean; the best is trained again on all rows but the test part\n",
        folds, folds);
  for (const std::string& note : loaded.notes) std::fprintf(stderr, "  %s\n", note.c_str());
  say_advice(arguments);
  std::fputs(baseline_lines(loaded).c_str(), stderr);
  say_refusal([&] {
    hpo::require_resources(loaded.asked);
    if (loaded.asked.gpus > 0) hpo::prepare_gpu(loaded.asked);
    hpo::require_precision(loaded.study.precision, loaded.asked);
  });
  say_real_time_keys(study);
  std::fputs(exploration_line(loaded.study).c_str(), stderr);
  std::fputs((search_lines(loaded.study) + known).c_str(), stderr);
  return kDone;
}

}  // namespace cli
