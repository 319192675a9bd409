#include "cli/found.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/terminal.h"
#include "hpo/driver/networks/network_work.h"
#include "hpo/driver/planning/placement.h"
#include "hpo/driver/planning/plan.h"
#include "hpo/driver/warm_start.h"
#include "hpo/log/schema.h"
#include "hpo/log/study_reader.h"
#include "hpo/samplers/registry.h"
#include "hpo/search/search.h"
#include "hpo/space/share.h"
#include "hpo/study/real_time.h"
#include "nn/data/data_error.h"
#include "nn/data/note_kinds.h"

namespace cli {

namespace {

std::string file_name(const std::string& path) {
  const std::filesystem::path file(path);
  const bool folder = file.filename().empty();
  return base::printable((folder ? file.parent_path() : file).filename().string(), 100);
}

std::string rows_text(const nn::Dataset::Header& header, const nn::DataSpec& spec) {
  const std::string replayed =
      header.replayed_rows > 0 ? base::cat(" and ", header.replayed_rows, " old ones") : "";
  const std::string test =
      spec.kind == nn::DataKind::csv && !spec.more.empty() ? " and " + file_name(spec.more) : "";
  return base::cat(file_name(spec.path), test, ": ", base::counted(header.rows, "row"), ", ",
                   header.new_rows(), replayed, " to train, ", header.valid_rows,
                   " to compare trials by, ", header.test_rows, " for the final test");
}

/// How the rows of a table come into the parts.
std::string split_text(const nn::Dataset::Header& header, const nn::DataSpec& spec) {
  if (spec.kind != nn::DataKind::csv) return "";
  if (!spec.split.time.empty())
    return base::cat("the parts follow one another in the order of ",
                     nn::in_quotes(spec.split.time), ": the newest rows are for the final test");
  if (!spec.split.group.empty())
    return base::cat("the rows of one ", nn::in_quotes(spec.split.group),
                     " are in one part; which part, is drawn at random");
  const bool classes = header.task == nn::LearningTask::classification;
  return base::cat("rows are put into these parts at random",
                   classes ? ", with the same share of each class in all of them" : "",
                   "; every trial uses the same parts");
}

std::string folds_text(int folds) {
  if (folds == 0) return "";
  return base::cat(folds, " folds (these are the sizes of the first one): each trial trains ",
                   folds,
                   " networks, each without another part of the rows, by which it is judged, and "
                   "reports the mean; the best is trained again on all rows but the test part");
}

std::string target_text(const nn::Dataset::Header& header) {
  std::string names;
  for (std::size_t i = 0; i < header.targets.size() && i < 12; ++i)
    names += (i == 0 ? "" : ", ") + nn::in_quotes(header.targets[i].name);
  if (header.targets.size() > 12)
    names += base::cat(" and ", header.targets.size() - 12, " more, up to ",
                       nn::in_quotes(header.targets.back().name));
  if (header.targets.front().name.empty()) names = "the labels";
  if (header.task == nn::LearningTask::classification)
    return base::cat(names, ": one of ", header.class_names.size(), " classes is predicted");
  return base::cat(names, header.targets.size() == 1 ? ": a number is predicted"
                                                     : ": several numbers are predicted");
}

std::string inputs_text(const nn::Dataset::Header& header) {
  if (header.columns.empty()) return base::cat("the ", header.cols, " values of each row");
  return base::cat(base::counted(header.columns.size(), "column"),
                   header.columns.size() == 1 ? " becomes " : " become ",
                   base::counted(header.cols, "input"));
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
  return base::cat(study.method.kind, " explores ", explored.empty() ? "shapes only" : explored,
                   kept.empty() ? "" : base::cat("; drawn once and inherited: ", kept));
}

/// What a sampler that chooses by itself chose, and why; empty for other methods.
std::string choice_line(const hpo::StudySpec& study) {
  const std::string reason = hpo::sampler_reason(study.method.kind, study.space,
                                                 {.metrics = 1 + study.others.size(),
                                                  .trials = study.limits.trials,
                                                  .parallel = study.parallel});
  return reason.empty() ? "" : base::cat("method ", study.method.kind, ": ", reason);
}

/// How many trials a grid comes to; empty for other methods.
std::string grid_line(const hpo::StudySpec& study) {
  if (study.method.kind != "grid") return "";
  const std::uint64_t points = study.space.grid_size().value();
  const auto limit = static_cast<std::uint64_t>(study.limits.trials.value_or(INT64_MAX));
  return base::cat(
      "method grid: ", base::grouped(points), points == 1 ? " point" : " points",
      limit < points ? base::cat("; limits.trials allows ", base::grouped(limit), " of them") : "");
}

/// How much of the space forbidden combinations leave; empty without any.
std::string forbid_line(const hpo::Space& space) {
  if (space.forbidden().empty()) return "";
  const auto points = space.grid_size();
  if (points) return base::cat("forbid leaves ", base::counted(*points, "point"));
  constexpr double kLeast = 1e-4;
  const double share = hpo::allowed_share(space);
  if (share < kLeast) return "forbid leaves less than 0.01% of the space";
  return base::cat("forbid leaves about ", base::with_digits(100 * share, 3), "% of the space");
}

/// "lr: a float from 0.001 to 0.1 (log); depth: an int from 0 to 4".
std::string space_text(const hpo::Space& space) {
  std::string text;
  for (const hpo::Parameter& parameter : space.parameters()) {
    if (std::holds_alternative<hpo::Constant>(parameter.domain)) continue;
    text += base::cat(text.empty() ? "" : "; ", base::printable(parameter.name, 60), ": ",
                      base::printable(hpo::describe(parameter.domain), 200));
    for (const hpo::Condition& when : parameter.when)
      text += base::cat(
          " where ", base::printable(when.parameter, 60), " is ",
          base::printable(
              base::listed(when.values, [](const auto& value) { return hpo::text_of(value); }),
              60));
  }
  return text;
}

/// "valid.accuracy, more is better; of those, weights, less is better".
std::string metrics_text(const hpo::StudySpec& study) {
  std::vector<hpo::Metric> metrics{study.metric};
  metrics.insert(metrics.end(), study.others.begin(), study.others.end());
  return base::listed(metrics, [](const hpo::Metric& metric) {
    if (!metric.goal) return base::printable(metric.name, 60);
    return base::cat(base::printable(metric.name, 60), *metric.goal == hpo::Goal::maximize
                                                           ? " (more is better)"
                                                           : " (less is better)");
  });
}

/// "each trial has at most 27 epochs; asha compares trials after 1, 3 and 9 of them and stops those
/// that fall behind"; empty where there is nothing to say.
std::string rule_text(const hpo::StudySpec& study) {
  constexpr std::int64_t kLooked = 100'000;  // steps, and how many that decide are named
  constexpr std::size_t kNamed = 6;
  const bool known = study.max_epochs < std::numeric_limits<std::int64_t>::max();
  const std::string ends =
      !known ? ""
             : base::cat("each trial has at most ",
                         base::counted(study.max_epochs, study.runs_command ? "step" : "epoch"));
  if (study.early_stop.kind == "none") return ends;
  const std::unique_ptr<hpo::StoppingRule> rule = hpo::rule_of(study);
  const std::int64_t last = std::min(study.max_epochs - 1, kLooked);
  std::vector<std::string> rungs;
  bool all = study.early_stop_unit == hpo::Unit::epochs || study.numbers_steps();
  for (std::int64_t step = 1; all && step <= last && rungs.size() <= kNamed; ++step) {
    if (rule->decides(step - 1, step)) rungs.push_back(std::to_string(step));
  }
  if (rungs.size() > kNamed) {
    all = rungs.back() != std::to_string(kNamed + 1);  // else it looks at each step
    rungs.back() = "so on";
  }
  const std::string when = all && !rungs.empty() ? base::cat(" after ", base::listed(rungs),
                                                             known ? " of them" : " steps")
                                                 : "";
  return base::cat(ends, ends.empty() ? "" : "; ", study.early_stop.kind, " compares trials", when,
                   " and stops those that fall behind");
}

/// "at most 60 trials in at most 10m 00s".
std::string trials_text(const hpo::StudySpec& study) {
  const hpo::Limits& limits = study.limits;
  std::string text = "trials without end, until it is stopped";
  if (limits.trials)
    text = base::cat("at most ", base::counted(*limits.trials, "trial"));
  else if (const auto points = study.space.grid_size(); points && study.method.kind == "grid")
    text = base::counted(*points, "trial");
  else if (limits.time)
    text = "as many trials as there is time for";
  if (limits.time) text += base::cat(", ", short_seconds(*limits.time), " in all");
  return text;
}

}  // namespace

void add_data(Sheet& sheet, const hpo::LoadedStudy& loaded) {
  const nn::Dataset::Header& header = loaded.data.value.get().header();
  const nn::DataSpec spec = hpo::data_spec(loaded.study, loaded.params);
  std::vector<std::string> table, target, inputs, left_out;
  for (std::size_t i = 0; i < loaded.data_notes; ++i) {
    const std::string& note = loaded.notes[i];
    switch (nn::kind_of_note(note)) {
      case nn::NoteKind::inputs:
        inputs.push_back(note);
        break;
      case nn::NoteKind::left_out:
        left_out.push_back(note.substr(nn::heads::kLeftOut.size()));
        break;
      case nn::NoteKind::target:
        target.push_back(note);
        break;
      case nn::NoteKind::table:
        table.push_back(note);
    }
  }
  sheet.add("table", rows_text(header, spec));
  sheet.add("table", split_text(header, spec));
  sheet.add("table", folds_text(spec.split.folds));
  sheet.add("table", table);
  sheet.add("target", target_text(header));
  sheet.add("target", target);
  sheet.add("inputs", inputs_text(header));
  sheet.add("inputs", inputs);
  sheet.add("left out", left_out);
  const auto doubts = loaded.notes.begin() + static_cast<std::ptrdiff_t>(loaded.data_notes);
  const auto others = doubts + static_cast<std::ptrdiff_t>(loaded.doubts);
  sheet.add("warnings", std::vector<std::string>(doubts, others));
  sheet.add("note", std::vector<std::string>(others, loaded.notes.end()));
}

void add_search(Sheet& sheet, const hpo::StudySpec& study) {
  constexpr const char* kLabel = "search";
  const std::string space = space_text(study.space);
  sheet.add(kLabel, base::cat(trials_text(study), ", proposed by ", study.method.kind));
  sheet.add(kLabel, rule_text(study));
  sheet.add(kLabel, space.empty() ? "no parameter varies" : space);
  sheet.add(kLabel, base::cat("by ", metrics_text(study)));
  sheet.add(kLabel, exploration_line(study));
  sheet.add(kLabel, choice_line(study));
  sheet.add(kLabel, grid_line(study));
  sheet.add(kLabel, forbid_line(study.space));
  for (const hpo::WarmStart& start : hpo::read_warm_starts(study))
    sheet.add(kLabel, hpo::text_of(start));
  const std::string keys = base::listed(hpo::real_time_keys(study));
  if (!keys.empty())
    sheet.add(kLabel,
              keys + ": not decided by the study alone, so another run may give other results");
}

void add_cost(Sheet& sheet, const hpo::LoadedStudy& loaded) {
  constexpr std::int64_t kQuick = 200;  // trials whose search is played through in a moment
  if (loaded.study.limits.trials.value_or(kQuick + 1) > kQuick || loaded.asked.gpus > 0) return;
  const int cores = base::usable_cores();
  const hpo::Plan plan = hpo::plan_study(loaded, hpo::platform_here(cores));
  sheet.add("cost", base::cat("the whole search: ", plan.at_least ? "at least " : "about ",
                              short_amount(plan.distinct_flops, "FLOP"), ", about ",
                              short_seconds(plan.seconds), " on ", base::counted(cores, "core"),
                              " of this machine, ", base::format_bytes(plan.memory), " of memory"));
}

namespace {

/// A study's trials so far.
struct Begun {
  std::string text;  ///< empty: there is none
  bool over = false;
};

Begun begun_in(const base::Path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder / hpo::kStudyDb, error)) return {};
  try {
    const hpo::StudyReader study(folder);
    const hpo::TrialCounts counts = study.counts();
    return {base::cat(counts.complete, " complete, ", counts.stopped, " stopped, ", counts.failed,
                      " failed"),
            study.info().state == hpo::StudyState::finished};
  } catch (const base::Error&) {
    return {"it cannot be read"};  // a sweep says why
  }
}

/// What becomes of a study that has begun in this folder.
std::string what_goes_on(const base::Path& folder) {
  const Begun begun = begun_in(folder);
  if (begun.text.empty()) return "";
  return base::cat(", where a study of this name has trials: ", begun.text,
                   begun.over ? "; it is finished, so nothing is run again" : "; it continues");
}

}  // namespace

std::string begun_text(const base::Path& folder) { return begun_in(folder).text; }

void add_next(Sheet& sheet, const hpo::StudySpec& study, const std::string& sweep,
              const base::Path& folder) {
  const std::string what =
      study.is_asked ? "hands out the next trial and keeps the study in "
      : study.runs_command
          ? "runs the program once a trial and keeps what it reports in "
          : "trains the networks, scores the best one on the test part once, and writes that "
            "network and a report to ";
  sheet.add("next", base::cat(sweep, " ", what, base::printable(folder.string(), 200),
                              what_goes_on(folder)));
}

}  // namespace cli
