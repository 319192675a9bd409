#include "hpo/import/wandb_command.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

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

constexpr std::string_view kFlags = "${args_no_boolean_flags}", kJson = "${args_json}",
                           kJsonFile = "${args_json_file}";

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
      if (!hears_ && !parameters_.names.empty()) put("$no_args");  // wandb.config has them
    } else {
      throw StudyError(command->at, "command is not a list of words");
    }
    find_programs();
    return std::move(made_);
  }

 private:
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
    } else if (word == kJson || word == kJsonFile) {
      add_json(word == kJson ? "$params_json" : "$params_file");
    } else if (word.starts_with("${args")) {
      if (word != kFlags && word != "${args}")
        made_.notes.carry("--name=value", "the macro " + word);
      add_args(word == kFlags);
    } else {
      if (word.find("${envvar:") != std::string::npos)
        made_.notes.leave(
            base::cat(word, ": environment variables are not inserted; write the value there"));
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

  /// What the words may run that is seen from a folder: a module behind `-m`, a script, the program
  /// of the file.
  void find_programs() {
    const std::vector<std::string>& words = made_.words;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      const bool module = i > 0 && words[i - 1] == "-m";
      const bool script = word.ends_with(".py") || word.ends_with(".sh") ||
                          (i > 0 && word == text_at(root_, "program"));
      const bool path = i == 0 && word.find('/') != std::string::npos;
      if (!module && !script && !path) continue;
      if (!word.starts_with('/') && word.find('$') == std::string::npos)
        made_.programs.push_back({.text = word, .module = module});
    }
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

  /// Its members have our names.
  void add_json(const char* word) {
    hears_ = true;
    put(word);
    for (const auto& [theirs, ours] : parameters_.names) {
      if (theirs != ours)
        made_.notes.leave(base::cat("the name ", theirs, " in ", word, ": it is ", ours, " there"));
    }
  }

  /// A program knows a parameter by its old name, and a block of them as a map.
  void add_args(bool flags) {
    hears_ = true;
    bool others = false;
    std::set<std::string> blocks;
    for (std::size_t i = 0; i < parameters_.names.size(); ++i) {
      const auto& [theirs, ours] = parameters_.names[i];
      const std::vector<std::string>& path = parameters_.paths[i].second;
      const std::string name = study::escape(path.front());
      if (path.size() > 1) {
        if (blocks.insert(path.front()).second)
          put(base::cat("--", name, "=", map_text({path.front()})));
      } else if (theirs == ours) {
        others = true;
      } else if (flags && parameters_.bools.contains(ours)) {
        put(base::cat("${", ours, "?--", name, "}"));
      } else {
        put(base::cat("--", name, "=${", ours, "}"));
      }
    }
    if (others) put(flags ? "$args_flags" : "$args");
  }

  /// The block that `way` leads to, as Python writes a map: {'lr': 0.1, 'deep': {'n': 3}}.
  [[nodiscard]] std::string map_text(const std::vector<std::string>& way) const {
    std::string text;
    std::set<std::string> seen;
    for (const auto& [ours, path] : parameters_.paths) {
      const bool inside =
          path.size() > way.size() && std::ranges::equal(way, path | std::views::take(way.size()));
      if (!inside || !seen.insert(path[way.size()]).second) continue;
      std::vector<std::string> next = way;
      next.push_back(path[way.size()]);
      const char* quote = parameters_.texts.contains(ours) ? "'" : "";
      const std::string value =
          path == next ? base::cat(quote, "${", ours, "}", quote) : map_text(next);
      text += base::cat(text.empty() ? "" : ", ", "'", study::escape(next.back()), "': ", value);
    }
    return "{" + text + "}";
  }

  const Node& root_;
  const Parameters& parameters_;
  Command made_;
  bool hears_ = false;  ///< the command has the parameters
};

}  // namespace

Bools bools_of(const Node& root) {
  const Node* command = root.find("command");
  if (command == nullptr) return root.find("program") == nullptr ? Bools::values : Bools::words;
  Bools bools = Bools::values;
  for (const Node& word : command->items) {
    if (!word.text.starts_with("${args") || word.text == kJson || word.text == kJsonFile) continue;
    if (word.text != kFlags) return Bools::words;
    bools = Bools::flags;
  }
  return bools;
}

Command command_of(const Node& root, const Parameters& parameters) {
  return Writer(root, parameters).run();
}

}  // namespace hpo::wandb
