#include "hpo/import/wandb_command.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "hpo/import/wandb_node.h"
#include "hpo/study/study_error.h"
#include "hpo/study/substitute.h"

namespace hpo::wandb {

namespace {

using study::Node;
using study::StudyError;

/// A macro that gives every parameter: what stands before its name, and between name and value.
struct MacroForm {
  std::string_view macro, before;
  bool two_words;  ///< name and value apart
};
constexpr MacroForm kForms[]{{"${args_no_equals}", "--", true},
                             {"${args_no_hyphens}", "", false},
                             {"${args_append_hydra}", "+", false},
                             {"${args_override_hydra}", "++", false}};

class Writer {
 public:
  Writer(const Node& root, const Parameters& parameters) : root_(root), parameters_(parameters) {}

  Command run() {
    const Node* command = root_.find("command");
    if (command == nullptr) {
      if (root_.find("program") == nullptr) return {};
      for (const char* word : {"${interpreter}", "${program}", "${args}"}) add(word);
    } else if (command->is_list()) {
      for (auto word = command->items.begin(); word != command->items.end(); ++word)
        add(word->text, word + 1 == command->items.end() ? "" : word[1].text);
      if (!hears_ && !parameters_.names.empty()) {
        leave("parameters from wandb.config alone: the command ends with them here");
        add_args();
      }
    } else {
      throw StudyError(command->at, "command is no list, expected its words");
    }
    return std::move(made_);
  }

 private:
  void leave(const std::string& line) { made_.left_out.push_back(line); }
  void put(std::string word) { made_.words.push_back(std::move(word)); }

  void add(const std::string& word, std::string_view next = "") {
    if (word == "${env}") {  // a program is looked for in PATH anyway
      if (is_of_env(next)) put("/usr/bin/env");
      return;
    }
    const auto* form = std::ranges::find(kForms, word, &MacroForm::macro);
    if (word == "${interpreter}") {
      put("python3");
    } else if (word == "${program}") {
      put(program());
    } else if (form != std::end(kForms)) {
      add_all(*form);
    } else if (word.starts_with("${args")) {
      if (word == "${args_no_boolean_flags}")
        leave(base::cat(word, ": true and false are given as other values are, --name=true"));
      else if (word != "${args}")
        leave(base::cat(word, ": --name=value stands in its place"));
      add_args();
    } else {
      if (word.find("${envvar:") != std::string::npos)
        leave(base::cat(word, ": what the environment holds is not put in, write it there"));
      put(study::escape(word));
    }
  }

  /// A word that `env` takes before the program.
  static bool is_of_env(std::string_view word) {
    return !word.starts_with("${") && (word.starts_with('-') || word.find('=') != word.npos);
  }

  [[nodiscard]] std::string program() const {
    const std::string program = text_at(root_, "program");
    if (!program.empty()) return study::escape(program);
    throw StudyError(root_.at,
                     "command names ${program}, but program is missing, expected its path");
  }

  void add_all(const MacroForm& form) {
    hears_ = true;
    for (const auto& [theirs, ours] : parameters_.names) {
      const std::string name = base::cat(form.before, study::escape(theirs));
      if (form.two_words) {
        put(name);
        put("$" + ours);
      } else {
        put(base::cat(name, "=${", ours, "}"));
      }
    }
  }

  /// A program knows a parameter by its old name.
  void add_args() {
    hears_ = true;
    bool others = false;
    for (const auto& [theirs, ours] : parameters_.names) {
      if (theirs == ours)
        others = true;
      else
        put(base::cat("--", study::escape(theirs), "=${", ours, "}"));
    }
    if (others) put("$args");
  }

  const Node& root_;
  const Parameters& parameters_;
  Command made_;
  bool hears_ = false;  ///< the command has the parameters
};

}  // namespace

Command command_of(const Node& root, const Parameters& parameters) {
  return Writer(root, parameters).run();
}

}  // namespace hpo::wandb
