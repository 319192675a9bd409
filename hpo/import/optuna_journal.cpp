#include "hpo/import/optuna_journal.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "base/words.h"

namespace hpo {

namespace {

double finite(const base::Json& json) {
  const double number = json.number();
  if (std::isfinite(number)) return number;
  throw base::Error(base::Errc::data, base::cat(json.raw(), " is not a finite number"));
}

std::int64_t step_of(std::optional<std::int64_t> step) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  if (step && *step >= -kMost && *step <= kMost) return *step;
  throw base::Error(base::Errc::data, "a step is not a whole number");
}

class Replay {
 public:
  void apply(const base::Json& line) {
    switch (line.at("op_code").integer()) {
      case 0:
        create_study(line);
        break;
      case 1:
        journal_.studies.erase(static_cast<std::size_t>(line.at("study_id").integer()));
        break;
      case 2:
      case 3:
        set_study_attribute(line);
        break;
      case 4:
        create_trial(line);
        break;
      case 5:
        if (OptunaTrial* trial = open_trial(line))
          trial->suggest(line.at("param_name").text(), finite(line.at("param_value_internal")),
                         line.at("distribution").text());
        break;
      case 6:
        if (OptunaTrial* trial = open_trial(line)) {
          trial->state = line.at("state").integer();
          set_times(*trial, line);
          set_values(*trial, line.find("values"));
        }
        break;
      case 7:
        if (OptunaTrial* trial = open_trial(line))
          trial->reports[step_of(line.at("step").integer())] =
              line.at("intermediate_value").number();
        break;
      case 8:
        if (OptunaTrial* trial = open_trial(line)) note(line.at("user_attr"), *trial);
        break;
      case 9:
        if (OptunaTrial* trial = open_trial(line)) set_system(line.at("system_attr"), *trial);
        break;
      default:
        if (unknown_++ == 0) first_unknown_ = line.at("op_code").integer();
        break;
    }
  }

  /// What was read, with a word about lines that nothing came of.
  OptunaStorage finish() {
    constexpr const char* kOf = " of the journal ";
    if (unknown_ > 0)
      journal_.left_out.push_back(
          base::cat(base::counted(unknown_, "line"), kOf,
                    "with an op_code that Optuna 4 and 5 do not have, first ", first_unknown_));
    if (lost_ > 0)
      journal_.left_out.push_back(
          base::cat(base::counted(lost_, "line"), kOf, "about a trial that was never made"));
    return std::move(journal_);
  }

 private:
  /// A name that is there already (load_if_exists) makes no study, and takes no id.
  void create_study(const base::Json& line) {
    OptunaStudy study{.name = line.at("study_name").text(), .directions = {}, .metrics = {}};
    const auto has_name = [&](const auto& known) { return known.second.name == study.name; };
    if (std::ranges::any_of(journal_.studies, has_name)) return;
    for (const auto& [none, one] : line.at("directions").members())
      study.directions.push_back(one.integer());
    journal_.studies.emplace(next_study_++, std::move(study));
  }

  void set_study_attribute(const base::Json& line) {
    const auto found =
        journal_.studies.find(static_cast<std::size_t>(line.at("study_id").integer()));
    if (found == journal_.studies.end()) return;
    OptunaStudy& study = found->second;
    const base::Json* system = line.find("system_attr");
    for (const auto& [name, value] : (system ? *system : line.at("user_attr")).members()) {
      if (system == nullptr) study.attributes.insert(name);
      if (system == nullptr || name != "study:metric_names") continue;
      study.metrics.clear();
      for (const auto& [none, metric] : value.members()) study.metrics.push_back(metric.text());
    }
  }

  static void note(const base::Json& attributes, OptunaTrial& trial) {
    for (const auto& [name, value] : attributes.members()) trial.attributes[name] = value.raw();
  }

  static void set_times(OptunaTrial& trial, const base::Json& line) {
    const auto read = [&](const char* name, std::optional<double>& moment) {
      if (const base::Json* time = line.find(name); time != nullptr && !time->is_null())
        moment = moment_of(time->text());
    };
    read("datetime_start", trial.began);
    read("datetime_complete", trial.came_to_end);
  }

  static void set_system(const base::Json& attributes, OptunaTrial& trial) {
    for (const auto& [name, value] : attributes.members()) trial.set_system_attribute(name, value);
  }

  /// A trial may come whole (enqueued, or added by hand). In a study that is gone it takes no id.
  void create_trial(const base::Json& line) {
    const auto study = static_cast<std::size_t>(line.at("study_id").integer());
    if (!journal_.studies.contains(study)) return;
    OptunaTrial& trial = journal_.trials.emplace_back();
    trial.study = study;
    if (const base::Json* state = line.find("state")) trial.state = state->integer();
    set_times(trial, line);
    if (const base::Json* value = line.find("value"); value != nullptr && !value->is_null())
      trial.values = {value->number()};
    set_values(trial, line.find("values"));
    if (const base::Json* params = line.find("params")) {
      for (const auto& [name, value] : params->members())
        trial.suggest(name, finite(value), line.at("distributions").at(name).text());
    }
    if (const base::Json* reports = line.find("intermediate_values")) {
      for (const auto& [step, value] : reports->members())
        trial.reports[step_of(base::parse_int(step))] = value.number();
    }
    if (const base::Json* attributes = line.find("user_attrs")) note(*attributes, trial);
    if (const base::Json* attributes = line.find("system_attrs")) set_system(*attributes, trial);
  }

  static void set_values(OptunaTrial& trial, const base::Json* values) {
    if (values == nullptr || values->members().empty()) return;
    trial.values.clear();
    for (const auto& [none, value] : values->members()) trial.values.push_back(value.number());
  }

  /// Null for a trial that has ended, which nothing changes any more, or that was never made.
  OptunaTrial* open_trial(const base::Json& line) {
    const std::int64_t id = line.at("trial_id").integer();
    if (id < 0 || id >= static_cast<std::int64_t>(journal_.trials.size())) {
      ++lost_;
      return nullptr;
    }
    OptunaTrial& trial = journal_.trials[static_cast<std::size_t>(id)];
    return trial.ended() ? nullptr : &trial;
  }

  OptunaStorage journal_;
  std::size_t next_study_ = 0;
  std::size_t unknown_ = 0, lost_ = 0;  ///< lines that nothing came of
  std::int64_t first_unknown_ = 0;
};

}  // namespace

OptunaStorage read_optuna_journal(const std::string& text, const std::string& file) {
  Replay replay;
  std::size_t begin = 0, number = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    // As Optuna has it: whoever wrote the last line may have died over it.
    if (begin >= text.size() && number > 1 && !base::Json::try_parse(line, kPythonJson)) break;
    try {
      if (!line.empty()) replay.apply(base::Json::parse(line, kPythonJson));
    } catch (const base::Error& error) {
      throw base::Error(base::Errc::data,
                        base::cat(base::printable(file, 4096), ":", number, ":1: ", error.what(),
                                  ", expected a journal of Optuna"));
    }
  }
  return replay.finish();
}

}  // namespace hpo
