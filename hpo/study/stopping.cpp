#include "hpo/study/stopping.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/words.h"
#include "hpo/stopping/registry.h"
#include "hpo/study/field.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"

namespace hpo::study {

namespace {

/// The rule itself, or those that it combines.
void collect_rules(const Node& rule, std::vector<const Node*>& rules) {
  const Node* of = rule.find("of");
  if (of == nullptr) return rules.push_back(&rule);
  if (of->items.empty())
    throw StudyError(of->at,
                     base::cat(rule.find("type")->text, " has no rules, expected at least one"));
  for (const Node& one : of->items) collect_rules(one, rules);
}

std::vector<const Node*> rules_of(const StudySpec& study) {
  std::vector<const Node*> rules;
  collect_rules(study.rule_tree.node(), rules);
  return rules;
}

/// What the rules that have a key say there, all the same.
const Node* common(const StudySpec& study, std::string_view key) {
  const Node* first = nullptr;
  for (const Node* rule : rules_of(study)) {
    const Node* value = rule->find(key);
    if (value == nullptr) continue;
    if (first == nullptr) first = value;
    if (value->text != first->text)
      throw StudyError(value->at, base::cat("early_stop.", key, " is ", value->text, ", expected ",
                                            first->text, " as in the rule before it"));
  }
  return first;
}

Unit unit_of(const Node* node) {
  const std::string_view name = node != nullptr ? std::string_view(node->text) : "epochs";
  if (name == "steps") return Unit::steps;
  if (name == "seconds") return Unit::seconds;
  return name == "flops" ? Unit::flops : Unit::epochs;
}

/// What is counted in epochs must lie among them; of FLOPs no default would make sense.
void check_numbers(const StudySpec& study, const Node& rule) {
  const bool flops = study.early_stop_unit == Unit::flops;
  const bool epochs = study.early_stop_unit == Unit::epochs || study.numbers_steps();
  const Kind& kind = *stopping_set()->find(rule.find("type")->text);
  for (const Entry& entry : rule.entries) {
    const Field* field = kind.block.find(entry.key);
    if (field == nullptr || field->unit != "epochs") continue;
    const std::int64_t value = as_integer(entry.value);
    if (flops && value <= study.max_epochs) {
      throw StudyError(entry.value.at,
                       base::cat("early_stop.", entry.key, " is ", entry.value.text,
                                 " with unit: flops, expected FLOPs of a trial, such as "
                                 "1e9"));
    }
    if (!epochs || value <= study.max_epochs) continue;
    throw StudyError(
        entry.value.at,
        base::cat("early_stop.", entry.key, " is ", entry.value.text, ", expected at most ",
                  study.numbers_steps() ? "early_stop.max" : "train.epochs", ", which is ",
                  study.max_epochs));
  }
}

/// Two rules that let the same trials wait would wait for each other.
void check_pauses(const Chosen& rule, const Node& node) {
  std::size_t pausing = 0;
  for (std::size_t i = 0; i < rule.of.size(); ++i) {
    const Node& one = node.find("of")->items[i];
    check_pauses(rule.of[i], one);
    if (!rule_pauses(rule.of[i])) continue;
    if (rule.kind == "all_of")
      throw StudyError(one.at, base::cat("all_of cannot contain ", rule.of[i].kind,
                                         ", because that rule pauses trials; use any_of"));
    if (++pausing > 1)
      throw StudyError(one.at, base::cat("any_of has more than one rule that pauses trials (",
                                         rule.of[i].kind, "); at most one may"));
  }
}

/// Which of several metrics the rule looks at.
std::size_t metric_of(const StudySpec& study) {
  const Node* given = common(study, "metric");
  std::vector<std::string> names{study.metric.name};
  for (const Metric& other : study.others) names.push_back(other.name);
  if (given == nullptr) {
    if (names.size() == 1 || study.early_stop.kind == "none") return 0;
    throw StudyError(
        study.rule_tree.node().at,
        base::cat("early_stop needs the key metric (", base::either(names),
                  "), because this study has ", names.size(), " metrics; or use early_stop: none"));
  }
  if (names.front().empty()) return 0;  // the data will tell
  const auto found = std::ranges::find(names, given->text);
  if (found == names.end())
    throw StudyError(
        given->at, base::cat("early_stop.metric is ", describe(*given), ", expected ",
                             base::either(names), did_you_mean(base::nearest(given->text, names))));
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

bool rule_pauses(const Chosen& rule) {
  return make_stopping_rule(rule.kind, {.options = rule.options, .of = rule.of})->pauses();
}

Chosen read_chosen(const Node& node, std::span<const base::KindInfo> infos) {
  Chosen chosen{.kind = node.find("type")->text, .options = {}};
  const auto info = std::ranges::find(infos, chosen.kind, &base::KindInfo::kind);
  for (const base::FieldInfo& option : info->fields)
    chosen.options.set(option.name, as_value(*node.find(option.name)).value());
  if (const Node* of = node.find("of")) {
    for (const Node& one : of->items) chosen.of.push_back(read_chosen(one, infos));
  }
  return chosen;
}

void read_stopping(StudySpec& study) {
  study.early_stop = read_chosen(study.rule_tree.node(), stopping_kinds());
  study.early_stop_unit = unit_of(common(study, "unit"));
  study.early_stop_metric = metric_of(study);
}

std::optional<std::int64_t> step_of_end(const StudySpec& study) {
  const Node* max = common(study, "max");
  return max != nullptr ? std::optional(as_integer(*max)) : std::nullopt;
}

void check_stopping(const StudySpec& study) {
  if (study.runs_command && study.early_stop_unit == Unit::flops)
    throw StudyError(
        common(study, "unit")->at,
        "early_stop.unit: flops cannot be used with command, because the FLOPs of a program are "
        "unknown; use epochs or steps (which the program reports) or seconds");
  for (const Node* rule : rules_of(study)) check_numbers(study, *rule);
  check_pauses(study.early_stop, study.rule_tree.node());
}

}  // namespace hpo::study

namespace hpo {

StudySpec with_rule_of(const StudySpec& before, const StudySpec& study) {
  if (study.names_rule) return study;
  StudySpec kept = study;
  kept.rule_tree = before.rule_tree;
  kept.early_stop = before.early_stop;
  kept.early_stop_unit = before.early_stop_unit;
  kept.early_stop_metric = before.early_stop_metric;
  return kept;
}

}  // namespace hpo
