#include "hpo/study/checker.h"

#include <algorithm>

#include "base/text.h"
#include "base/words.h"
#include "hpo/study/arguments.h"
#include "hpo/study/asked.h"
#include "hpo/study/hints.h"
#include "hpo/study/kind_form.h"
#include "hpo/study/metric_names.h"
#include "hpo/study/scalars.h"
#include "hpo/study/source.h"
#include "hpo/study/substitute.h"
#include "hpo/study/yaml_reader.h"

namespace hpo::study {

namespace {

constexpr std::size_t kShortList = 10;  // more keys are not listed where one of them is suggested

std::string join(const std::string& where, const std::string& name) {
  return where.empty() ? name : base::cat(where, ".", name);
}

}  // namespace

std::vector<ParamValue> samples(const Domain& domain) {
  if (const auto* choice = std::get_if<Choice>(&domain)) return choice->values;
  if (const auto* constant = std::get_if<Constant>(&domain)) return {constant->value};
  return {from_unit(domain, 0), from_unit(domain, 1)};
}

Checker::Checker(const Space& space) : space_(&space) {
  for (const Parameter& parameter : space.parameters())
    parameters_.emplace(parameter.name, &parameter);
}

Checker Checker::of_values() {
  static const Space kNone;
  Checker checker(kNone);
  checker.literal_ = true;
  return checker;
}

bool Checker::refers(const Node& node) const {
  return !literal_ && node.is_scalar() && node.text.find('$') != std::string::npos;
}

Node Checker::check(const Node& node, const Field& field, const std::string& where) {
  if (field.count == Count::list || (field.count == Count::one_or_list && node.is_list())) {
    return check_list(node, field, where);
  }
  if (field.count == Count::one_or_piecewise && node.is_list())
    return check_course(node, field, where);
  return check_one(node, field, where);
}

Node Checker::check_list(const Node& node, const Field& field, const std::string& where) {
  if (!node.is_list()) fail_unexpected(node, where, field);
  Field one = field;
  one.count = Count::one;
  Node result{.kind = Node::Kind::list, .at = node.at};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    if (item.is_null() && one.type == Type::text)
      throw StudyError(item.at, base::cat(where, " has null as item ", i + 1, " of ",
                                          node.items.size(), ", expected ", expected(one),
                                          " (write \"null\" in quotes for the word)"));
    if (item.is_null() && one.type == Type::value)
      throw StudyError(item.at, base::cat(where, " has null in it, expected ", expected(one),
                                          " (write \"null\" in quotes for the word)"));
    const std::string place = item.is_list() ? base::cat("item ", i + 1, " of ", where) : where;
    result.items.push_back(check_one(item, one, place));
  }
  return result;
}

Node Checker::check_one(const Node& node, const Field& field, const std::string& where) {
  switch (field.type) {
    case Type::block: {
      const bool shorthand = node.is_scalar() && field.find("name") != nullptr;
      if (!shorthand) return check_block(node, field, where, field.name);
      Node map = map_node(node.at);
      map.entries.push_back({"name", node.at, node});
      return check_block(map, field, where, field.name);
    }
    case Type::blocks:
      return check_blocks(node, field, where);
    case Type::kind:
      return check_kind(node, field, where);
    case Type::timetable:
      return check_timetable(node, field, where);
    case Type::numbers:
      return node.is_map() ? check_numbers(node, field, where) : check_leaf(node, field, where);
    case Type::bounds:
      return check_bounds(node, field, where);
    case Type::conditions:
    case Type::combination:
    case Type::alternatives:
      return node;
    default:
      return check_leaf(node, field, where);
  }
}

Node Checker::check_leaf(const Node& node, const Field& field, const std::string& where) {
  if (!field.text_with.empty() && study::names(field.text_with, source_)) {
    const Field text{.name = field.name, .type = Type::text, .doc = field.doc, .literal = true};
    return check_leaf(node, text, where);
  }
  if (field.of_targets && !target_metrics_.empty()) {
    Field wider = field;
    wider.words = words_of(field);
    wider.of_targets = false;
    return check_leaf(node, wider, where);
  }
  return refers(node) && !field.literal ? check_reference(node, field, where)
                                        : check_scalar(node, field, where);
}

const Parameter& Checker::find_parameter(const std::string& name, const Node& node,
                                         const std::string& where) {
  if (const auto known = parameters_.find(name); known != parameters_.end()) {
    used_.insert(name);
    return *known->second;
  }
  std::vector<std::string> names;
  for (const Parameter& parameter : space_->parameters()) names.push_back(parameter.name);
  if (where == "command") {
    for (std::string& all : names_for_all()) names.push_back(std::move(all));
  }
  const std::string near = base::nearest(name, names);
  throw StudyError(
      node.at,
      base::cat("$", base::printable(name, 64),
                " names no parameter, expected a name under parameters",
                space_->parameters().empty() ? ", of which there are none" : "",
                " (write $$ for the character $)", did_you_mean(near.empty() ? "" : "$" + near)));
}

Node Checker::check_reference(const Node& node, const Field& field, const std::string& where) {
  const References found = references(node);
  if (found.names.empty()) {
    Node plain = check_scalar(unescape(node), field, where);
    plain.text = node.text;
    return plain;
  }
  if (!field.per_trial) {
    throw StudyError(
        node.at,
        base::cat(where, " is ", describe(node),
                  ", but this value must be the same in all trials, expected ", expected(field),
                  field.type == Type::text ? " (write $$ for the character $)" : ""));
  }
  for (const std::string& name : found.names) {
    if (where == "command" && stands_for_all(name) && !parameters_.contains(name)) {
      for (const Parameter& parameter : space_->parameters()) used_.insert(parameter.name);
      continue;
    }
    const Parameter& parameter = find_parameter(name, node, where);
    if (found.whole) check_whole_reference(node, parameter, field, where);
  }
  return node;
}

void Checker::check_whole_reference(const Node& node, const Parameter& parameter,
                                    const Field& field, const std::string& where) {
  const bool is_float = std::holds_alternative<FloatRange>(parameter.domain);
  if (field.type == Type::integer && is_float) {
    throw StudyError(
        node.at,
        base::cat(where, " is $", parameter.name, ", a float parameter, expected ", expected(field),
                  "; did you mean to declare \"", parameter.name, "\" with \"type: int\"?"));
  }
  for (const ParamValue& value : samples(parameter.domain)) {
    try {
      (void)check_scalar(node_of(value, node.at), field, where);
    } catch (const StudyError&) {
      throw StudyError(
          node.at, base::cat(where, " is $", parameter.name, ", which can be ",
                             base::printable(json_of(value), 60), ", expected ", expected(field)));
    }
  }
}

void Checker::check_always_active(const Node& value, const Field& field, const std::string& where) {
  if (!field.required || !refers(value)) return;
  for (const std::string& name : references(value).names) {
    const auto parameter = parameters_.find(name);
    if (parameter == parameters_.end()) continue;
    const auto& when = parameter->second->when;
    if (when.empty()) continue;
    const bool follows_kind = std::ranges::any_of(
        when, [&](const Condition& condition) { return condition.parameter == kind_parameter_; });
    if (follows_kind) continue;
    throw StudyError(value.at,
                     base::cat(where, " is needed by every trial, but $", name,
                               " is not always active; use a parameter that has no `when`"));
  }
}

void Checker::check_key(const Entry& entry, const Field& block, const std::string& where,
                        const std::string& context) {
  const Field* field = block.find(entry.key);
  const bool other_source = field != nullptr && where == "data" && field->name == field->only;
  if (field != nullptr && (applies(*field) || source_.empty() || other_source)) return;
  std::vector<std::string> names;
  for (const Field& known : block.fields) {
    if (applies(known) || source_.empty()) names.push_back(known.name);
  }
  if (context == "parameters" && entry.key == "distribution" &&
      entry.value.text.find("ormal") != std::string::npos) {
    const bool log = entry.value.text.starts_with("log");
    throw StudyError(entry.key_at,
                     base::cat("unknown key \"distribution\", expected mean and deviation",
                               log ? " as values, never logarithms" : "",
                               did_you_mean(log ? "mean: ..., deviation: ..., scale: log"
                                                : "mean: ..., deviation: ...")));
  }
  if (context == "parameters" && entry.key == "distribution" &&
      entry.value.text.starts_with("log")) {
    throw StudyError(
        entry.key_at,
        base::cat(
            "unknown key \"distribution\", expected a scale, with min and max as values, never "
            "exponents",
            did_you_mean("scale: log")));
  }
  if (field == nullptr) {
    const std::string near = suggestion(context, entry.key, names);
    const std::string place = where.empty() ? "the study" : where;
    const bool list = !names.empty() && (near.empty() || names.size() <= kShortList);
    throw StudyError(
        entry.key_at,
        base::cat("unknown key \"", base::printable(entry.key, 60), "\", ",
                  names.empty() ? place + " takes no keys" : "expected a key of " + place,
                  list ? " (" + base::either(names) + ")" : "", did_you_mean(near)));
  }
  const auto named = [](std::string_view source) {
    return source == "ask" ? std::string("trellis ask") : base::cat("\"", source, "\"");
  };
  const std::string key = join(where, entry.key);
  const std::string owner = field->only == kOurs            ? "\"data\" or \"command\""
                            : field->only == "command, ask" ? "\"command\" or trellis ask"
                                                            : named(field->only);
  throw StudyError(entry.key_at, base::cat("\"", key, "\" cannot be used with ", named(source_),
                                           owner == key ? "" : ", only with " + owner,
                                           did_you_mean(suggestion(context, entry.key, names))));
}

std::vector<std::string> Checker::words_of(const Field& field) const {
  std::vector<std::string> words = field.words;
  if (field.of_targets) words.insert(words.end(), target_metrics_.begin(), target_metrics_.end());
  return words;
}

bool Checker::applies(const Field& field) const { return applies_to(field, source_); }

std::optional<Node> Checker::fallback(const Field& field, const std::string& where, Position at) {
  if (!applies(field)) return std::nullopt;
  if (field.type == Type::block && !field.required) {
    // One that has to say something is not there unasked.
    if (std::ranges::any_of(field.fields,
                            [&](const Field& one) { return one.required && applies(one); }))
      return std::nullopt;
    Node block = check_block(map_node(at), field, join(where, field.name), field.name);
    return block.entries.empty() ? std::nullopt : std::optional(std::move(block));
  }
  if (field.fallback.empty()) return std::nullopt;
  return check(read_yaml(field.fallback, at), field, join(where, field.name));
}

Node Checker::check_block(const Node& node, const Field& block, const std::string& where,
                          const std::string& context) {
  if (!node.is_map()) fail_unexpected(node, where.empty() ? "the study" : where, block);
  const std::string outer = source_;
  if (where.empty()) {
    source_ = source_of_study(node);
    target_metrics_ = target_metric_names(node);
  }
  if (where == "data") source_ = source_of(node);
  for (const Entry& entry : node.entries) check_key(entry, block, where, context);
  Node result = map_node(node.at);
  result.open_kind = node.open_kind;
  for (const Field& field : block.fields) {
    const std::string path = join(where, field.name);
    if (const Entry* entry = node.find_entry(field.name)) {
      check_always_active(entry->value, field, path);
      result.entries.push_back({field.name, entry->key_at, check(entry->value, field, path)});
    } else if (field.required && applies(field)) {
      throw StudyError(node.at, base::cat(path, " is missing, expected ", expected(field)));
    } else if (auto value = fallback(field, where, node.at)) {
      result.entries.push_back({field.name, node.at, std::move(*value)});
    }
  }
  source_ = outer;
  return result;
}

Node Checker::check_blocks(const Node& node, const Field& field, const std::string& where) {
  if (!node.is_map()) fail_unexpected(node, where, field);
  Node result = map_node(node.at);
  for (const Entry& entry : node.entries) {
    if (!is_parameter_name(entry.key) || entry.key.size() > 64) {
      std::string near = entry.key.substr(0, 64);
      for (char& c : near) c = is_parameter_name(std::string("_") + c) ? c : '_';
      throw StudyError(
          entry.key_at,
          base::cat("\"", base::printable(entry.key, 70),
                    "\" cannot be a parameter's name, expected at most 64 letters, digits and _, "
                    "not beginning with a digit",
                    did_you_mean(is_parameter_name(near) ? near : "")));
    }
    const std::string path = join(where, entry.key);
    if (!entry.value.is_map()) {
      const std::string constant =
          entry.value.is_scalar()
              ? base::cat("{value: ", base::printable(entry.value.text, 60), "}")
              : "";
      throw StudyError(
          entry.value.at,
          base::cat(path, " is ", describe(entry.value),
                    ", expected {min, max}, {mean, deviation}, {values}, "
                    "{choice} or {value}",
                    did_you_mean(entry.value.is_list() ? "{values: [...]}" : constant)));
    }
    Node value = check_block(entry.value, field, path, field.name);
    result.entries.push_back({entry.key, entry.key_at, std::move(value)});
  }
  return result;
}

Node Checker::check_timetable(const Node& node, const Field& field, const std::string& where) {
  if (!node.is_map() || node.entries.empty()) fail_unexpected(node, where, field);
  const Field moment{.name = "epoch",
                     .type = Type::number,
                     .min = 0,
                     .max = 1e6,
                     .min_excluded = true,
                     .unit = "epochs"};
  Field kinds = field;
  kinds.type = Type::kind;
  kinds.count = Count::one_or_list;
  Node result = map_node(node.at);
  for (const Entry& entry : node.entries) {
    const std::string key =
        check_scalar(plain_node(entry.key, entry.key_at), moment, base::cat("an epoch of ", where))
            .text;
    if (result.find(key) != nullptr)
      throw StudyError(entry.key_at, base::cat(where, " lists epoch ", key, " twice"));
    result.entries.push_back({key, entry.key_at, check(entry.value, kinds, join(where, key))});
  }
  return result;
}

Node Checker::check_numbers(const Node& node, const Field& field, const std::string& where) {
  if (node.entries.empty())
    throw StudyError(node.at, base::cat(where, " is an empty map, expected ", expected(field)));
  Field number = field;
  number.type = Type::number;
  number.words.clear();
  Node result = map_node(node.at);
  for (const Entry& entry : node.entries)
    result.entries.push_back(
        {entry.key, entry.key_at, check_leaf(entry.value, number, join(where, entry.key))});
  return result;
}

Node Checker::check_bounds(const Node& node, const Field& field, const std::string& where) {
  static const Field kNumber{.name = "max", .type = Type::number};
  static const Field kRange{.name = "bound",
                            .type = Type::block,
                            .fields = {{.name = "min", .type = Type::number}, kNumber}};
  if (!node.is_map()) fail_unexpected(node, where, field);
  if (node.entries.empty())
    throw StudyError(node.at, base::cat(where, " is an empty map, expected ", expected(field)));
  const std::vector<std::string> words = words_of(field);
  Node result = map_node(node.at);
  for (const Entry& entry : node.entries) {
    const bool known = std::ranges::find(words, entry.key) != words.end();
    if (!known && !study::names(field.text_with, source_)) {
      throw StudyError(
          entry.key_at,
          base::cat(where, " names \"", base::printable(entry.key, 60),
                    "\", expected a metric that a trial reports (", base::either(words), ")",
                    did_you_mean(suggestion("metric.name", entry.key, words))));
    }
    const std::string path = join(where, entry.key);
    if (!entry.value.is_map()) {
      result.entries.push_back({entry.key, entry.key_at, check_leaf(entry.value, kNumber, path)});
      continue;
    }
    Node range = check_block(entry.value, kRange, path, "subject_to");
    if (range.entries.empty())
      throw StudyError(entry.value.at,
                       base::cat(path, " is an empty map, expected min, max or both"));
    result.entries.push_back({entry.key, entry.key_at, std::move(range)});
  }
  return result;
}

Node Checker::check_kind(const Node& node, const Field& field, const std::string& where) {
  const KindSet& set = *field.kinds();
  const KindForm form = read_kind_form(node, field, where);
  Node fields = map_node(node.at);
  fields.entries = form.fields;
  Node result = map_node(node.at);
  result.entries.push_back({set.key, form.type.at, form.type});
  if (refers(form.type)) {
    const Field type{.name = set.key,
                     .type = Type::word,
                     .words = set.names(),
                     .required = true,
                     .per_trial = field.per_trial};
    check_always_active(form.type, type, where);
    result.entries.back().value = check_reference(form.type, type, where);
    result.entries.insert(result.entries.end(), form.fields.begin(), form.fields.end());
    return check_open_kind(result, field, where);
  }
  const Kind& known = find_kind(set, form.type);
  const std::optional<Kind> wider = opened(known, fields, literal_);
  const Kind& kind = wider ? *wider : known;
  if (node.open_kind) {
    std::erase_if(fields.entries,
                  [&](const Entry& entry) { return kind.block.find(entry.key) == nullptr; });
  }
  Node block = check_block(fields, kind.block, kind.name, set.what);
  for (Entry& entry : block.entries) result.entries.push_back(std::move(entry));
  return result;
}

namespace {

/// Several kinds as one: their names, and a block with the fields of all.
std::pair<std::string, Field> together(std::span<const Kind> kinds) {
  std::vector<std::string> names;
  Field all{.type = Type::block};
  for (const Kind& kind : kinds) {
    names.push_back(kind.name);
    for (const Field& field : kind.block.fields) {
      if (all.find(field.name) == nullptr) all.fields.push_back(field);
    }
  }
  return {base::either(names), std::move(all)};
}

}  // namespace

Node Checker::check_open_kind(const Node& chosen, const Field& field, const std::string& where) {
  const KindSet& set = *field.kinds();
  const References type = references(chosen.entries[0].value);
  if (!type.whole) {
    throw StudyError(chosen.entries[0].value.at,
                     base::cat(where, " mixes text with a parameter, expected one $name alone"));
  }
  const std::string outer = std::exchange(kind_parameter_, type.names[0]);
  std::vector<Kind> kinds;
  for (const ParamValue& value : samples(parameters_.at(type.names[0])->domain)) {
    const Kind& known = *set.find(std::get<std::string>(value));
    kinds.push_back(opened(known, chosen, literal_).value_or(known));
  }
  Node result = map_node(chosen.at);
  result.open_kind = true;
  result.entries.push_back(chosen.entries[0]);
  for (auto entry = chosen.entries.begin() + 1; entry != chosen.entries.end(); ++entry) {
    std::optional<Node> value;
    for (const Kind& kind : kinds) {
      const Field* known = kind.block.find(entry->key);
      if (known == nullptr) continue;
      check_always_active(entry->value, *known, base::cat(kind.name, ".", entry->key));
      value = check(entry->value, *known, base::cat(kind.name, ".", entry->key));
    }
    if (!value) {
      const auto [names, keys] = together(kinds);
      check_key(*entry, keys, names, set.what);
    }
    result.entries.push_back({entry->key, entry->key_at, std::move(*value)});
  }
  for (const Kind& kind : kinds) {
    for (const Field& known : kind.block.fields) {
      if (!known.required || result.find(known.name) != nullptr) continue;
      throw StudyError(chosen.at, base::cat(kind.name, ".", known.name, " is missing, expected ",
                                            expected(known)));
    }
  }
  kind_parameter_ = outer;
  return result;
}

}  // namespace hpo::study
