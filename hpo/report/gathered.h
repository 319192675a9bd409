#pragma once
// What the page shows of a study, read once from its log.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpo/importance/importance.h"
#include "hpo/log/study_reader.h"
#include "hpo/log/trial_front.h"
#include "hpo/report/places.h"
#include "hpo/report/report.h"
#include "hpo/space/space.h"

namespace hpo::report {

/// The reports of all trials, trial by trial.
struct Curves {
  std::vector<std::size_t> first;  ///< of each trial's points, and behind the last one's
  std::vector<std::int64_t> step;
  std::vector<double> value;

  [[nodiscard]] std::size_t points() const { return step.size(); }
  [[nodiscard]] std::size_t begin(std::size_t trial) const { return first[trial]; }
  [[nodiscard]] std::size_t end(std::size_t trial) const { return first[trial + 1]; }
};

/// A parameter as a column: numbers, or places in a list of words.
struct ParameterColumn {
  std::string name;
  bool is_number = true;
  bool is_log = false;
  bool is_whole = false;            ///< int
  double min = 0, max = 0;          ///< of the domain; where that is unknown, of the values
  std::vector<std::string> labels;  ///< of words
  std::vector<double> values;       ///< one a trial; NaN: the trial does not have it
  double share = 0;                 ///< importance
  std::uint64_t trials = 0;         ///< with the parameter, of those that the importance is about
  bool is_searched = false;         ///< it varies, and its importance is known
};

/// Trials that failed in one way.
struct Failures {
  Cause cause = Cause::none;
  std::size_t trials = 0;
  std::uint64_t first = 0;         ///< number of the first of them
  std::string numbers;             ///< of the first few: "3, 14, 15"
  std::string message;             ///< of that one; of ways beyond the first few "other messages"
  std::vector<std::string> lines;  ///< the end of its log, of a program
};

struct Gathered {
  StudyInfo info;
  TrialCounts counts;
  Objective objective;
  std::vector<TrialRow> trials;
  std::optional<TrialRow> best;
  std::optional<Verdict> verdict;
  std::vector<ScoreInterval> intervals;
  std::vector<BaselineRow> baselines;
  ConfusionTable confusion;  ///< of the best trial's network
  std::string model;         ///< its file, relative to the study's folder; empty: none
  std::optional<TrialFront> front;
  WorkCounters work;
  std::vector<WorkerInfo> workers;
  std::vector<NodeInfo> nodes;
  std::vector<SessionUse> use;
  std::vector<TrialSpan> spans;  ///< one a trial
  std::vector<Turn> turns;
  Curves curves;
  std::vector<ParameterColumn> parameters;  ///< the most important first, then as in the space
  std::vector<std::size_t> ranking;         ///< places in `trials`, best first
  std::vector<bool> best_tenth;             ///< one a trial
  std::size_t outcomes = 0;                 ///< trials that importances are about
  std::vector<Failures> failures;           ///< by cause and message, the most frequent first
  std::string resolved;
  std::string folder;  ///< of studies, as a command names it: "runs", or "DIR" for one of --dir
  Space space;
  Places places;
  bool has_times = true;

  /// "epoch" or "step".
  [[nodiscard]] std::string unit() const { return info.programs ? "step" : "epoch"; }
  /// The failures by cause alone, the most frequent first.
  [[nodiscard]] std::vector<Failures> causes() const;
  /// Trials that ended.
  [[nodiscard]] std::int64_t ended() const {
    return counts.complete + counts.stopped + counts.failed;
  }
  /// A text of the study's user, without places of the machine.
  [[nodiscard]] std::string hidden(std::string_view text) const { return places.hidden(text); }
  /// `trellis VERB FILE` for the study's own copy of its file, from where the sweep was started.
  [[nodiscard]] std::string command_on_file(std::string_view verb) const;
  /// ` --dir DIR`, where a command needs it to find the study by name.
  [[nodiscard]] std::string dir_option() const;
  /// A paragraph that says what DIR is; empty where no command has it.
  [[nodiscard]] std::string note_on_folder() const;
  /// A parameter's value for people.
  [[nodiscard]] std::string label(const ParamValue& value) const;
};

[[nodiscard]] Gathered gather(const StudyReader& study, const ReportOptions& options);

}  // namespace hpo::report
