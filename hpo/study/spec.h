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
#include "hpo/space/chosen.h"
#include "hpo/space/params.h"
#include "hpo/space/space.h"
#include "hpo/study/sections.h"
#include "nn/reshape/operation.h"

namespace hpo {

namespace study {
class Places;
}

/// What a stopping rule counts in: the resource of its rungs. A command's steps are its epochs; a
/// network's are those of its optimizer. Seconds are real ones, in which the trial's tasks ran.
enum class Unit : std::uint8_t { epochs, steps, seconds, flops };

/// A study. Members up to `report` are bound to rows of the table of fields; the others follow from
/// them.
struct StudySpec {
  std::string name;  ///< [A-Za-z0-9._-]{1,64}, no leading dot or dash
  std::uint64_t seed = 0;
  kern::Precision precision = kern::Precision::f32;  ///< of training
  study::DataRows data;                              ///< of networks
  std::optional<From> from;                          ///< none: networks begin with drawn weights
  study::Tree network;                               ///< a list of layers
  study::TrainRows train;
  study::Tree command;                    ///< a list of words; empty: trials run no program
  std::string command_folder;             ///< where the program runs, absolute
  OutputKind output = OutputKind::lines;  ///< of the program
  Library library = Library::none;        ///< that the program uses
  study::Tree config_names;               ///< of parameters in the library (config_names.h)
  Metric metric;                          ///< the first of several
  std::vector<Metric> others;             ///< that are searched for besides
  std::vector<Bound> subject_to;
  study::Tree method_tree;
  Space space;  ///< `parameters` and `forbid`
  study::Tree forbid_tree;
  study::Tree try_first_tree;
  std::vector<std::string> warm_start;  ///< folders of earlier studies, absolute
  study::Tree rule_tree;                ///< `early_stop`
  study::Tree adapt;                    ///< empty: networks keep their size
  std::int64_t parallel = 8;  ///< slots of the search; 0: what the machine holds (order arrival)
  std::optional<std::int64_t> nodes;  ///< that Slurm is asked for; none: nothing
  Order order = Order::virtual_time;
  Limits limits;
  study::NeedRows resources;
  Retry retry;
  CheckpointLimits checkpoint;
  StoreLimits store;
  std::optional<WriteReport> report;  ///< none: it is written

  std::string file;    ///< as it was given, for messages
  std::string folder;  ///< where the file lies, absolute: relative paths in it start there
  std::shared_ptr<const study::Places> places;  ///< of the values in the file
  Chosen method;                                ///< kind and options of hpo/samplers
  std::vector<Params> try_first;  ///< of the first trials; what they leave open the sampler says
  /// Of a population: the parameters that its members may change while they train, and what a
  /// network copied from one to another may go through (complete).
  std::vector<std::string> explorable;
  std::vector<nn::Operation> reshape;
  Chosen early_stop;  ///< kind and options of hpo/stopping; "none": trials run to their end
  Unit early_stop_unit = Unit::epochs;
  std::size_t early_stop_metric = 0;  ///< the metric that it looks at: 0 the first, then `others`
  bool names_rule = true;             ///< the file has an `early_stop` of its own
  bool names_metric = true;           ///< the file has a `metric` of its own
  std::int64_t max_epochs = 0;  ///< most epochs that any trial of the space can have; of commands
                                ///< the step at which they end, the largest number where unknown
  bool runs_command = false;    ///< trials run a program (hpo/study/command.h), not a network
  bool is_asked = false;        ///< trials are run by whoever asks for them (hpo/study/asked.h)
  /// True if what trials report is numbered by themselves, instead of by the epochs of a network.
  [[nodiscard]] bool numbers_steps() const { return runs_command || is_asked; }
};

/// What a command line may put in place of what the file says.
struct Overrides {
  std::optional<std::string> name;
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> parallel;
  std::optional<std::string> from;  ///< a model's path, from the current folder
  bool data_elsewhere = false;      ///< of a resolved study: its data need not be on this machine
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
