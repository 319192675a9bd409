#pragma once
// A study file, read and checked: everything about a search that does not differ from trial to
// trial.
//
//   StudySpec study = load_study("digits.yaml");        // all that can be known without the data
//   nn::DataSpec data = data_spec(study, params);       // hpo/study/trial_spec.h
//   study = settle(study, data_info(dataset.header())); // what only the data could tell
//   std::string text = resolved_yaml(study);            // goes into the study's folder
//
// Every error is an base::Error of kind `study` whose one line is
//   FILE:LINE:COL: what is wrong, expected ...; did you mean "..."?

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hpo/space/bound.h"
#include "hpo/space/option.h"
#include "hpo/space/params.h"
#include "hpo/space/space.h"
#include "hpo/space/trial_state.h"
#include "nn/hyper.h"
#include "nn/reshape/operation.h"

namespace hpo {

namespace study {
struct Document;
}

enum class Goal : std::uint8_t { minimize, maximize };

/// Which of a trial's reports is its value.
enum class Take : std::uint8_t { last, best };

/// The number that is searched for. `name` is empty until `settle` when the file leaves it to the
/// data.
struct Metric {
  std::string name;  ///< valid.loss, or another of nn/metrics; of a command, what it calls it
  Goal goal = Goal::minimize;
  Take take = Take::last;
  std::string regex = {};  ///< of a command: what finds the metric in its output; empty: nothing
  std::optional<double> reference = {};  ///< of several: where the hypervolume begins to count
  bool operator==(const Metric&) const = default;
};

/// What a stopping rule counts in: the resource of its rungs. A command's steps are its epochs; a
/// network's are those of its optimizer. Seconds are real ones, in which the trial's tasks ran.
enum class Unit : std::uint8_t { epochs, steps, seconds, flops };

/// In which order the driver hands events to sampler and rule.
enum class Order : std::uint8_t { virtual_time, arrival };

/// None: no limit. Times are real seconds; they are what can make two runs of a study differ.
struct Limits {
  std::optional<std::int64_t> trials;  ///< always set, except for a grid, which ends by itself,
                                       ///< and where trials are asked for
  std::optional<double> time;          ///< of the study, over all sessions
  std::optional<double> trial_time;    ///< in which tasks of one attempt of a trial ran
  std::optional<std::int64_t> failed;  ///< this many failed trials end the study
  std::optional<double> target = {};   ///< a complete trial as good as this ends the study
  std::optional<std::int64_t> patience = {};  ///< so do this many in a row that are no new best
  std::optional<std::int64_t> weights;        ///< of a network that changes its size
  std::optional<double> no_progress = {};     ///< of a command: neither output nor a report
  double grace = 10;                          ///< of a command: between SIGTERM and SIGKILL
  std::uint64_t log = 10'000'000;             ///< of a command: bytes of its output that are kept
  bool operator==(const Limits&) const = default;
};

struct Retry {
  std::int64_t max = 2;   ///< attempts after the first
  std::vector<Cause> on;  ///< what is tried again; never Cause::none
  bool operator==(const Retry&) const = default;
};

struct StudySpec {
  std::string file;    ///< as it was given, for messages
  std::string folder;  ///< where the file lies, absolute: relative paths in it start there
  std::string name;    ///< [A-Za-z0-9._-]{1,64}, no leading dot or dash
  std::uint64_t seed = 0;
  kern::Precision precision = kern::Precision::f32;  ///< of training

  Space space;
  Metric metric;               ///< the first of several
  std::vector<Metric> others;  ///< that are searched for besides
  std::vector<Bound> subject_to;
  Chosen method;                  ///< kind and options of hpo/samplers
  std::vector<Params> try_first;  ///< of the first trials; what they leave open the sampler says
  /// Of a population: the parameters that its members may change while they train, and what a
  /// network copied from one to another may go through (complete).
  std::vector<std::string> explorable;
  std::vector<nn::Operation> reshape;
  Chosen early_stop;  ///< kind and options of hpo/stopping; "none": trials run to their end
  Unit early_stop_unit = Unit::epochs;
  std::size_t early_stop_metric = 0;  ///< which one it looks at: 0 the first, then `others`
  bool names_rule = true;             ///< the file has an `early_stop` of its own
  std::int64_t max_epochs = 0;  ///< most epochs that any trial of the space can have; of commands
                                ///< the step at which they end, the largest number where unknown
  std::int64_t parallel = 8;    ///< slots of the search; 0: what the machine holds (order arrival)
  Order order = Order::virtual_time;
  Limits limits;
  Retry retry;
  double checkpoint_overhead = 0.035;           ///< share of the time that checkpoints may take
  std::uint64_t store_budget = 16'000'000'000;  ///< bytes on disk of what studies share

  bool runs_command = false;  ///< trials run a program (hpo/study/command.h), not a network
  bool is_asked = false;      ///< trials are run by whoever asks for them (hpo/study/asked.h)
  /// Whether what trials report is numbered by themselves, instead of by the epochs of a network.
  [[nodiscard]] bool numbers_steps() const { return runs_command || is_asked; }

  /// The checked file with defaults filled in, from which trials are made. Shared and immutable.
  std::shared_ptr<const study::Document> document;
};

/// What a command line may put in place of what the file says.
struct Overrides {
  std::optional<std::string> name;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> parallel;
  std::optional<std::string> from;  ///< a model's path, from the current folder
};

/// Reads and checks the study file at `path`. Touches no data file, except to see which path of
/// `data` exists. Throws base::Error: study (see above), storage when the file cannot be read,
/// usage for a bad override.
[[nodiscard]] StudySpec load_study(const std::string& path, const Overrides& overrides = {});

/// The same from a text; `file` is the name in messages, relative paths start at `folder`.
[[nodiscard]] StudySpec parse_study(const std::string& text, const std::string& file,
                                    const std::string& folder, const Overrides& overrides = {});

/// The study with every default written out, as a study file that loads to an equal study from any
/// folder (its data path is absolute). Equal studies give equal texts.
[[nodiscard]] std::string resolved_yaml(const StudySpec& study);

/// The space of a resolved study, of whose data and programs nothing need be there any more. `file`
/// is the name in messages.
[[nodiscard]] Space space_of_resolved(const std::string& resolved, const std::string& file);

/// `study` with the stopping rule of `before`, what an earlier session made of the file, where the
/// file names none: which one it has then may follow from limits, and those may change.
[[nodiscard]] StudySpec with_rule_of(const StudySpec& before, const StudySpec& study);

/// Names of the metrics that decide which trial is better: those that are searched for, then those
/// that have bounds; each once.
[[nodiscard]] std::vector<std::string> deciding_metrics(const StudySpec& study);

/// Whether one of them is how long a network takes to answer a row, measured.
[[nodiscard]] bool measures_latency(const StudySpec& study);

/// True for a study's name that is safe as a folder's: [A-Za-z0-9._-]{1,64} without a leading dot
/// or dash.
[[nodiscard]] bool is_study_name(const std::string& name);

}  // namespace hpo
