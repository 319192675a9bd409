#include "hpo/study/arguments.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "hpo/space/params.h"
#include "hpo/study/checker.h"
#include "hpo/study/study_error.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

/// A word that stands for the options of all parameters.
struct ArgumentForm {
  std::string_view name;
  bool dashes;  ///< in the names of options, for underscores
  bool flags;   ///< a bool is an option without a value, or nothing
};
constexpr std::array kForms{
    ArgumentForm{"args", false, false}, ArgumentForm{"args_dashes", true, false},
    ArgumentForm{"args_flags", false, true}, ArgumentForm{"args_dashes_flags", true, true}};

constexpr std::string_view kParamsFile = "params_file", kParamsJson = "params_json",
                           kNoArguments = "no_args";

/// The form in a word; null: there is none. A parameter of the same name goes before all but the
/// first.
const ArgumentForm* form_in(const Node& word, const Space& space) {
  if (!word.is_scalar()) return nullptr;
  for (const std::string& name : references(word).names) {
    const auto* form = std::ranges::find(kForms, std::string_view(name), &ArgumentForm::name);
    const bool stands = form == kForms.begin() || space.find(name) == nullptr;
    if (form != kForms.end() && stands) return form;
  }
  return nullptr;
}

bool is_bool(const Domain& domain) {
  const std::vector<ParamValue> values = samples(domain);
  return std::ranges::all_of(
      values, [](const ParamValue& value) { return std::holds_alternative<bool>(value); });
}

std::string with_dashes(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

Node option(const ArgumentForm& form, const Parameter& parameter, Position at) {
  const std::string name = form.dashes ? with_dashes(parameter.name) : parameter.name;
  const bool flag = form.flags && is_bool(parameter.domain);
  return string_node(flag ? base::cat("${", parameter.name, "?--", name, "}")
                          : base::cat("--", name, "=$", parameter.name),
                     at);
}

void require_own_word(const Node& root, const Node& word, const ArgumentForm& form) {
  if (!references(word).whole)
    throw StudyError(word.at, base::cat("command has ", describe(word), ", expected $", form.name,
                                        " as an argument of its own"));
  const Node* own = root.find("parameters");
  if (own == nullptr || own->find(form.name) == nullptr) return;
  throw StudyError(own->find_entry(form.name)->key_at,
                   base::cat("the parameter name \"", form.name, "\" is reserved: $", form.name,
                             " in command means all parameters; use another name"));
}

/// Counts the words as the file has them.
void require_words(const Node& command) {
  const auto null = std::ranges::find_if(command.items, &Node::is_null);
  if (null == command.items.end()) return;
  throw StudyError(null->at,
                   base::cat("command has null as item ", null - command.items.begin() + 1, " of ",
                             command.items.size(),
                             ", expected a string (write \"null\" in quotes for the word)"));
}

}  // namespace

void expand_arguments(Node& root, const Space& space) {
  Node* command = root.find("command");
  if (command == nullptr || !command->is_list()) return;
  require_words(*command);
  std::set<std::string, std::less<>> named;
  bool expands = false;
  for (const Node& word : command->items) {
    if (const ArgumentForm* form = form_in(word, space)) {
      require_own_word(root, word, *form);
      expands = true;
    } else {
      collect_names(word, named);
    }
  }
  if (!expands) return;
  if (const Node* resources = root.find("resources")) collect_names(*resources, named);
  std::vector<Node> words;
  for (const Node& word : command->items) {
    const ArgumentForm* form = form_in(word, space);
    if (form == nullptr) {
      words.push_back(word);
      continue;
    }
    for (const Parameter& parameter : space.parameters()) {
      if (!named.contains(parameter.name)) words.push_back(option(*form, parameter, word.at));
    }
  }
  command->items = std::move(words);
}

std::string dashed_option(std::string_view text, const Node& command, const Space& space) {
  for (const Parameter& parameter : space.parameters()) {
    const std::string here = "--" + parameter.name, there = "--" + with_dashes(parameter.name);
    const bool has_it = std::ranges::any_of(
        command.items, [&](const Node& word) { return word.text.starts_with(here + "="); });
    if (here != there && has_it && text.find(there) != text.npos) return there;
  }
  return {};
}

bool stands_for_all(std::string_view name) {
  return name == kParamsFile || name == kParamsJson || name == kNoArguments;
}

Params with_all(const Params& params, const Space& space) {
  Params all = params;
  const auto add = [&](std::string_view name, std::string text) {
    if (space.find(std::string(name)) == nullptr) all.set(name, std::move(text));
  };
  add(kParamsFile, std::string(kParamsFileMark));
  add(kParamsJson, json_of(params));
  return all;
}

std::vector<std::string> names_for_all() {
  std::vector<std::string> names;
  for (const ArgumentForm& form : kForms) names.emplace_back(form.name);
  for (const std::string_view name : {kParamsFile, kParamsJson, kNoArguments})
    names.emplace_back(name);
  return names;
}

}  // namespace hpo::study
