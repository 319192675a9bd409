#include "hpo/study/command.h"

#include <algorithm>

#include "base/executable.h"
#include "base/text.h"
#include "hpo/study/arguments.h"
#include "hpo/study/checker.h"
#include "hpo/study/config_names.h"
#include "hpo/study/goals.h"
#include "hpo/study/pattern.h"
#include "hpo/study/program.h"
#include "hpo/study/substitute.h"

namespace hpo {

namespace study {

namespace {

bool is_unit_metric(const std::string& name) { return name == "exit" || name == "seconds"; }

void check_word(const Node& word) {
  if (word.text.find('\0') != std::string::npos) {
    throw StudyError(word.at, base::cat("command has the word ", base::printable(word.text, 80),
                                        ", expected words without NUL characters, which no program "
                                        "can be given"));
  }
  if (word.text.size() > base::longest_word()) {
    throw StudyError(
        word.at, base::cat("command has a word of ", word.text.size(), " bytes, expected at most ",
                           base::longest_word(),
                           ", the longest argument that this system passes to a program"));
  }
}

[[noreturn]] void fail_without_name(Position where) {
  throw StudyError(
      where,
      "metric.name is missing, expected the number to optimize as the program names it, "
      "such as metric: {name: valid.accuracy, goal: maximize}");
}

void check_pattern(const Metric& metric, Position at) {
  if (metric.regex.empty()) return;
  if (is_unit_metric(metric.name))
    throw StudyError(at, base::cat("metric.regex cannot be used with the metric \"", metric.name,
                                   "\": Trellis measures that one itself; give the metric another "
                                   "name"));
  try {
    (void)Pattern(metric.regex);
  } catch (const base::Error& error) {
    throw StudyError(at, base::cat("metric.regex: ", error.what()));
  }
}

TrialCommand make_command(const StudySpec& study, const Params& params) {
  const Tree made_of = study.command.in(with_all(params, study.space));
  const Node& command = made_of.node();
  TrialCommand made{.words = {}, .path = {}, .folder = study.command_folder};
  for (const Node& word : command.items) {
    check_word(word);
    made.words.push_back(word.text);
  }
  if (made.words.empty() || made.words.front().empty())
    throw StudyError(command.at, "command is empty, expected a program and its arguments");
  made.path = find_program(command.items.front(), made.folder, "command");
  return made;
}

}  // namespace

void check_named_metric(const StudySpec& study) {
  const std::vector<Metric> metrics = metrics_of(study);
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].name.empty()) fail_without_name(place_of_metric(study, i, "name"));
    if (!metrics[i].goal)
      throw StudyError(place_of_metric(study, i, "goal"),
                       "metric.goal is missing, expected maximize or minimize");
  }
}

void check_command(const StudySpec& study) {
  check_named_metric(study);
  const std::vector<Metric> metrics = metrics_of(study);
  for (std::size_t i = 0; i < metrics.size(); ++i)
    check_pattern(metrics[i], place_of_metric(study, i, "regex"));
  check_config_names(study);
}

void try_command(const StudySpec& study) {
  for (const double u : {0.0, 1.0}) {
    const Params corner = study.space.from_unit(std::vector<double>(study.space.size(), u));
    if (study.space.allows(corner)) (void)make_command(study, corner);
  }
  const Node& command = study.command.node();
  for (const Node& word : command.items) {
    for (const std::string& name : references(word).names) {
      const Parameter* parameter = study.space.find(name);
      if (parameter == nullptr) continue;  // it stands for all of them
      for (const ParamValue& value : samples(parameter->domain))
        check_word(substitute(string_node(base::cat("$", name), word.at), {{name, value}}).value());
    }
  }
}

}  // namespace study

void require_script(const StudySpec& study) {
  study::with_place(study.file,
                    [&] { study::require_script(study.command.node(), study.command_folder); });
}

std::vector<std::string> TrialCommand::words_with(const std::string& params_file) const {
  std::vector<std::string> made = words;
  for (std::string& word : made) {
    for (std::size_t at = word.find(study::kParamsFileMark); at != word.npos;
         at = word.find(study::kParamsFileMark, at + params_file.size()))
      word.replace(at, study::kParamsFileMark.size(), params_file);
  }
  return made;
}

TrialCommand trial_command(const StudySpec& study, const Params& params) {
  return study::with_place(study.file, [&] { return study::make_command(study, params); });
}

}  // namespace hpo
