#include "hpo/import/wandb.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ascii.h"
#include "base/executable.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/words.h"
#include "hpo/import/wandb_command.h"
#include "hpo/import/wandb_node.h"
#include "hpo/import/wandb_parameters.h"
#include "hpo/import/wandb_place.h"
#include "hpo/import/wandb_rule.h"
#include "hpo/import/wandb_script.h"
#include "hpo/import/wandb_words.h"
#include "hpo/space/value.h"
#include "hpo/study/node.h"
#include "hpo/study/study_error.h"
#include "hpo/study/substitute.h"
#include "hpo/study/yaml_reader.h"

namespace hpo {

namespace {

using study::Entry;
using study::Node;
using study::StudyError;

/// True if a name counts or sets what a training does, as train/global_step and learning_rate.
/// Nobody searches for that.
bool is_no_result(const std::string& name) {
  static constexpr std::string_view kWords[]{
      "epoch", "epochs", "step",    "steps",     "iter",    "iteration", "iterations", "batch",
      "lr",    "rate",   "time",    "timestamp", "runtime", "elapsed",   "seconds",    "minutes",
      "train", "valid",  "trainer", "learning",  "global",  "total",     "current",    "index"};
  const std::string text = base::lowered(name);
  if (text.starts_with('_')) return true;  // W&B's own, which no trial reports
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    for (end = at; end < text.size() && base::is_letter_or_digit(text[end]);) ++end;
    const std::string_view word = std::string_view(text).substr(at, end - at);
    if (!word.empty() && std::ranges::find(kWords, word) == std::end(kWords)) return false;
  }
  return true;
}

class WandbImporter {
 public:
  /// `notes`: of what was read already.
  WandbImporter(const Node& root, const ImportPlaces& places, ImportNotes notes)
      : root_(root), places_(places), notes_(std::move(notes)) {}

  /// The first word of the command; empty: there is none.
  [[nodiscard]] const std::string& program() const { return program_; }
  /// The folder in which the command runs.
  [[nodiscard]] base::Path folder() const { return places_.study / folder_; }

  /// Without comments at its top.
  Imported run() {
    if (!root_.is_map() || root_.find("parameters") == nullptr || root_.find("method") == nullptr)
      throw StudyError(root_.at,
                       "this is not a W&B sweep file, expected the keys method and parameters");
    for (const std::string_view key : {"data", "network", "early_stop", "limits"}) {
      if (const Node* ours = root_.find(key))
        throw StudyError(ours->at, base::cat("this is a study file already (it has ", key,
                                             "), expected a W&B sweep file"));
    }
    const wandb::Parameters parameters =
        wandb::parameters_of(*root_.find("parameters"), wandb::bools_of(root_));
    add_name();
    add_command(parameters);
    add_metric();
    add_method();
    body_ += parameters.yaml.empty() ? "parameters: {}\n" : "parameters:\n" + parameters.yaml;
    notes_.add(parameters.notes);
    add_rule();
    add_limits();
    name_the_rest();
    return {.yaml = body_, .notes = notes_};
  }

 private:
  void add_name() {
    const std::string theirs = wandb::text_at(root_, "name");
    if (theirs.empty()) return;
    std::string name = theirs;
    for (char& c : name) {
      const bool fits = base::is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
      c = fits ? c : '-';
    }
    name.erase(0, std::min(name.find_first_not_of(".-"), name.size()));
    name = name.substr(0, 64);
    if (name != theirs && name.empty()) notes_.leave("the name " + theirs);
    if (name != theirs && !name.empty()) notes_.rename(name, theirs);
    if (!name.empty()) body_ += base::cat("name: ", base::quote_json(name), "\n");
  }

  void add_command(const wandb::Parameters& parameters) {
    const wandb::Command command = wandb::command_of(root_, parameters);
    notes_.add(command.notes);
    if (command.words.empty()) return;
    std::string line;
    for (const std::string& word : command.words)
      line += base::cat(line.empty() ? "" : ", ", base::quote_json(word));
    body_ += base::cat("command: [", line, "]\n");
    program_ = command.words.front();
    add_folder(command.programs);
    add_library(command, parameters);
  }

  /// The first of them that is anywhere decides. A module that is nowhere may be installed.
  void add_folder(const std::vector<wandb::ProgramName>& programs) {
    for (const wandb::ProgramName& program : programs) {
      const wandb::ProgramPlace place = wandb::place_of(program, places_);
      if (!place.found) continue;
      folder_ = place.folder;
      if (folder_.empty()) return;
      const std::string said = "folder: " + base::quote_json(study::escape(folder_));
      body_ += said + "\n";
      return notes_.carry(said, "the folder in which W&B starts " + program.text,
                          place.only ? "no other folder of the repository has it" : "");
    }
    const auto script = std::ranges::find(programs, false, &wandb::ProgramName::module);
    if (script == programs.end()) return;
    notes_.leave(base::cat("the folder in which W&B starts ", script->text, ": it is not in ",
                           base::listed(wandb::place_of(*script, places_).looked),
                           "; set folder in the study file"));
  }

  /// By the library of a script of W&B, unless it reports to us.
  void add_library(const wandb::Command& command, const wandb::Parameters& parameters) {
    for (const wandb::ProgramName& program : command.programs) {
      const base::Path folder = places_.study / folder_;
      const wandb::ScriptUse use = wandb::use_in(wandb::script_of(program, folder));
      if (use.ours) return;
      if (logged_.empty()) logged_ = use.logged;
      if (use.agent)
        notes_.leave(base::cat("the sweep that ", program.text,
                               " starts by itself (wandb.agent): it needs W&B's server; let the "
                               "script train once, with the parameters of wandb.config"));
    }
    body_ += "library: wandb\n";
    std::string names;
    for (const auto& [ours, path] : parameters.paths) {
      if (path.size() == 1 && path.front() == ours) continue;
      std::string list;
      for (const std::string& name : path)
        list += base::cat(list.empty() ? "" : ", ", base::quote_json(name));
      names += base::cat(names.empty() ? "" : ", ", ours, ": [", list, "]");
    }
    if (!names.empty()) body_ += base::cat("config_names: {", names, "}\n");
  }

  void add_metric() {
    const Node* several = root_.find("metrics");
    if (several != nullptr && several->is_list() && !several->items.empty()) {
      several_ = several->items.size() > 1;
      std::string list;
      for (const Node& one : several->items)
        list += base::cat(list.empty() ? "" : ", ", metric_text(one));
      body_ += base::cat("metric: ", several_ ? base::cat("[", list, "]") : list, "\n");
      return;
    }
    const Node* metric = root_.find("metric");
    if (metric != nullptr && metric->is_scalar() && !metric->text.empty()) {
      const std::string name = base::quote_json(metric->text);
      notes_.carry("one to minimize", base::cat("metric ", metric->text, ", which has no goal,"),
                   "write goal: maximize if more is better");
      body_ += base::cat("metric: {name: ", name, ", goal: minimize}\n");
      return;
    }
    if (metric == nullptr || !metric->is_map() || wandb::text_at(*metric, "name").empty()) {
      return add_missing_metric();
    }
    body_ += base::cat("metric: ", metric_text(*metric), "\n");
  }

  /// W&B runs a grid without one; of what the script logs, a loss or a score most likely is meant.
  void add_missing_metric() {
    if (logged_.empty()) {
      notes_.carry("metric loss", "the missing metric",
                   "write the name of the number that the program reports");
      body_ += "metric: {name: loss, goal: minimize}\n";
      return;
    }
    const auto logged_with = [&](std::span<const std::string_view> words) {
      return std::ranges::find_if(logged_, [&](const std::string& name) {
        const std::string text = base::lowered(name);
        return std::ranges::any_of(words,
                                   [&](std::string_view w) { return text.find(w) != text.npos; });
      });
    };
    static constexpr std::string_view kLosses[]{"loss", "error", "mse", "rmse", "mae", "cost"};
    static constexpr std::string_view kScores[]{"acc", "f1", "auc", "score", "reward", "return"};
    auto name = logged_with(kLosses);
    const bool score = name == logged_.end();
    if (score) name = logged_with(kScores);
    const bool none = name == logged_.end();
    const char* goal = score && !none ? "maximize" : "minimize";
    if (none) name = std::ranges::find_if_not(logged_, is_no_result);
    if (name == logged_.end())
      throw StudyError(
          root_.at,
          base::cat("the metric is missing, and the script logs only ",
                    base::printable(base::listed(logged_), 200),
                    "; expected metric: {name: NAME, goal: minimize or maximize} in this file"));
    const std::string& chosen = *name;
    notes_.carry(base::cat("metric ", base::printable(chosen, 60), ", to ", goal),
                 "the missing metric", "the script logs it; write another one if it is not meant");
    body_ += base::cat("metric: {name: ", base::quote_json(chosen), ", goal: ", goal, "}\n");
  }

  std::string metric_text(const Node& metric) {
    const std::string name = wandb::text_at(metric, "name");
    if (name.empty())
      throw StudyError(metric.at, "a metric has no name, expected {name: ..., goal: ...}");
    for (const Entry& entry : metric.entries) {
      if (entry.key == "target" && !several_)
        target_ = &entry.value;
      else if (entry.key != "name" && entry.key != "goal")
        notes_.leave(base::cat("metric.", entry.key, ": ", study::describe(entry.value)));
    }
    return base::cat("{name: ", base::quote_json(name), ", goal: ", goal_of(metric, name), "}");
  }

  static std::string goal_of(const Node& metric, const std::string& name) {
    static const std::vector<std::string> kGoals{"minimize", "maximize"};
    const Node* goal = metric.find("goal");
    if (goal == nullptr || goal->is_null()) return kGoals.front();
    if (goal->is_scalar() && std::ranges::find(kGoals, goal->text) != kGoals.end())
      return goal->text;
    throw StudyError(goal->at,
                     base::cat("the goal of ", name, " is ", study::describe(*goal),
                               ", expected minimize or maximize",
                               base::did_you_mean(wandb::text_at(metric, "goal"), kGoals)));
  }

  /// What searches for one metric alone does not stand in for what searches for several.
  void add_method() {
    const std::string method = wandb::text_at(root_, "method");
    if (method == "grid" || method == "random") {
      body_ += base::cat("method: ", method, "\n");
      return;
    }
    static const std::vector<std::string> kMethods{"bayes", "random", "grid", "custom"};
    if (std::ranges::find(kMethods, method) == kMethods.end())
      throw StudyError(
          root_.find("method")->at,
          base::cat("the method is ", study::describe(*root_.find("method")),
                    ", expected bayes, random or grid", base::did_you_mean(method, kMethods)));
    const char* ours = several_ ? "tpe" : "gp";
    if (method != "bayes" || several_)
      notes_.carry(base::cat("method ", ours), base::cat("method ", method));
    body_ += base::cat("method: ", ours, "\n");
  }

  void add_rule() {
    const wandb::Rule rule = wandb::rule_of(root_);
    body_ += rule.yaml;
    notes_.add(rule.notes);
  }

  void add_limits() {
    std::string limits;
    if (const Node* cap = root_.find("run_cap"))
      limits = base::cat("trials: ", wandb::value_text(*cap));
    if (target_ != nullptr)
      limits += base::cat(limits.empty() ? "" : ", ", "target: ", wandb::value_text(*target_));
    if (!limits.empty()) body_ += base::cat("limits: {", limits, "}\n");
  }

  void name_the_rest() {
    static constexpr std::string_view kCarried[]{
        "name",   "program",    "command", "metric",          "metrics",
        "method", "parameters", "run_cap", "early_terminate", "$schema"};
    for (const Entry& entry : root_.entries) {
      if (std::ranges::find(kCarried, entry.key) == std::end(kCarried))
        notes_.leave(base::cat(entry.key, ": ", study::describe(entry.value)));
    }
  }

  const Node& root_;
  const ImportPlaces& places_;
  ImportNotes notes_;
  std::string body_, program_, folder_;
  std::vector<std::string> logged_;  ///< names that the script gives to wandb.log
  bool several_ = false;             ///< metrics are searched for
  const Node* target_ = nullptr;     ///< a value that ends the search; of several metrics none does
};

/// Python's readers of YAML need a tag to see a number in 1e-5; nothing else does. Places stay.
std::string without_tags(std::string text) {
  for (const std::string_view tag : {" !!float ", " !!int "}) {
    for (std::size_t at = text.find(tag); at != text.npos; at = text.find(tag, at))
      text.replace(at, tag.size(), tag.size(), ' ');
  }
  return text;
}

/// The same study with a program that every system has: a file may be brought over where its own
/// one is not.
std::string with_program_of_here(std::string yaml, const std::string& program) {
  const std::string word = base::cat("command: [", base::quote_json(program));
  return yaml.replace(yaml.find(word), word.size(), "command: [\"sh\"");
}

bool is_sweep(const Node& node) {
  return node.is_map() && node.find("parameters") != nullptr && node.find("method") != nullptr;
}

/// The sweep of a file that a program of its own reads: the only section that is one, where the
/// file is none.
Node& sweep_in(Node& root, ImportNotes& notes) {
  if (is_sweep(root) || !root.is_map()) return root;
  const auto section =
      std::ranges::find_if(root.entries, [](const Entry& entry) { return is_sweep(entry.value); });
  if (section == root.entries.end()) return root;
  const auto sweeps =
      std::ranges::count_if(root.entries, [](const Entry& entry) { return is_sweep(entry.value); });
  if (sweeps > 1)
    throw StudyError(section->key_at,
                     "this file has several sweeps, expected one in a file of its own");
  notes.carry("the study",
              base::cat("the section ", section->key, " in line ", section->key_at.line));
  for (const Entry& entry : root.entries) {
    if (&entry != &*section) notes.leave(base::cat(entry.key, ": ", study::describe(entry.value)));
  }
  return section->value;
}

}  // namespace

Imported import_wandb(const std::string& text, const std::string& file,
                      const ImportPlaces& places) {
  std::string program;
  bool has_limit = false;
  base::Path folder;
  Imported imported = study::with_place(file, [&] {
    std::vector<study::RepeatedKey> repeated;
    Node root = study::read_merging_yaml(without_tags(text), repeated);
    ImportNotes notes;
    for (const study::RepeatedKey& key : repeated) {
      const std::string name = base::printable(key.key, 60);
      notes.carry(base::cat(name, " in line ", key.again.line),
                  base::cat(name, " in line ", key.first.line),
                  "W&B takes the last of the keys that repeat");
    }
    if (root.is_map()) wandb::read_words_as_python(root, notes);
    Node& sweep = sweep_in(root, notes);
    if (sweep.is_map()) wandb::find_paths_here(sweep, places, notes);
    WandbImporter importer(sweep, places, std::move(notes));
    Imported made = importer.run();
    program = importer.program();
    has_limit = sweep.find("run_cap") != nullptr;
    folder = importer.folder();
    return made;
  });
  const bool is_here = program.empty() || base::find_executable(program, folder.string());
  const StudySpec study =
      study_made(is_here ? imported.yaml : with_program_of_here(imported.yaml, program), file,
                 "study.yaml", places.study.string());
  if (!program.empty() && study.limits.trials && !has_limit)
    imported.notes.carry(base::cat("limits.trials ", *study.limits.trials), "the missing run_cap",
                         "W&B goes on until it is stopped; write how many trials are to run");
  imported.yaml = imported.notes.comments() + imported.yaml;
  if (!is_here)
    imported.notes.leave(base::cat("the program ", base::printable(program, 80),
                                   ": it is not here; put it here before the study runs"));
  return imported;
}

Imported import_wandb(const std::string& text, const std::string& file) {
  return import_wandb(text, file, ImportPlaces::of(file));
}

}  // namespace hpo
