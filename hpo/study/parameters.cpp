#include "hpo/study/parameters.h"

#include <cmath>
#include <unordered_map>

#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"
#include "runtime/base/text.h"

namespace hpo::study {

namespace {

constexpr std::size_t kMostParameters = 10'000;

[[noreturn]] void fail(Position at, const std::string& what) { throw Fault(at, what); }

/// One entry of the section, and the questions one has about it.
class Reader {
 public:
  explicit Reader(const Entry& entry) : name_(entry.key), at_(entry.key_at), node_(entry.value) {}

  [[nodiscard]] Domain domain() const {
    const bool range = has("min") || has("max");
    if (has("values") + has("value") + range != 1) {
      fail(at_, rt::cat("parameter \"", name_, "\" has ", forms(range),
                        ", expected one of {min, max}, {values} or {value}"));
    }
    if (has("values")) return choice();
    if (has("value")) return constant();
    return this->range();
  }

 private:
  [[nodiscard]] bool has(std::string_view key) const { return node_.find(key) != nullptr; }

  [[nodiscard]] std::string forms(bool range) const {
    std::string text;
    for (const auto& [present, name] :
         {std::pair(range, "min and max"), {has("values"), "values"}, {has("value"), "value"}}) {
      if (present) text += (text.empty() ? "" : " and ") + std::string(name);
    }
    return text.empty() ? "no values" : text;
  }

  /// Keys that mean nothing here would be silently ignored otherwise.
  void refuse(std::initializer_list<std::string_view> keys, std::string_view with) const {
    for (const std::string_view key : keys) {
      if (const Entry* entry = node_.find_entry(key)) {
        fail(entry->key_at,
             rt::cat("\"", key, "\" stands with ", with, ", expected it with min and max only"));
      }
    }
  }

  [[nodiscard]] ParamValue value_of(const Node& node) const {
    return as_value(unescape(node)).value();
  }

  [[nodiscard]] std::string type() const {
    const Node* type = node_.find("type");
    return type != nullptr ? type->text : "";
  }

  /// The number at `key`, which must be one.
  [[nodiscard]] double number(std::string_view key) const {
    const Node& node = *node_.find(key);
    const auto value = number_of(value_of(node));
    if (!value || !std::isfinite(*value)) {
      fail(node.at, rt::cat("parameters.", name_, ".", key, " is ", describe(node),
                            ", expected a number", node.quoted ? " without quotes" : ""));
    }
    return *value;
  }

  /// A number that must be whole because the parameter is an int.
  [[nodiscard]] std::int64_t whole(std::string_view key) const {
    const double value = number(key);
    const Node& node = *node_.find(key);
    const ParamValue exact = value_of(node);
    if (const auto* integer = std::get_if<std::int64_t>(&exact)) return *integer;
    if (value != std::floor(value) || std::abs(value) > static_cast<double>(kLargestBound)) {
      fail(node.at, rt::cat("parameters.", name_, ".", key, " is ", describe(node),
                            ", expected an int, as type: int says"));
    }
    return static_cast<std::int64_t>(value);
  }

  [[nodiscard]] bool all_ints() const {
    for (const std::string_view key : {"min", "max", "step"}) {
      const Node* node = node_.find(key);
      if (node != nullptr && !std::holds_alternative<std::int64_t>(value_of(*node))) return false;
    }
    return true;
  }

  [[nodiscard]] Domain range() const {
    for (const std::string_view key : {"min", "max"}) {
      if (!has(key))
        fail(at_, rt::cat("parameter \"", name_, "\" has no ", key, ", expected both min and max"));
      (void)number(key);
    }
    if (has("step")) (void)number("step");
    const Node* scale = node_.find("scale");
    const Scale as = scale != nullptr && scale->text == "log" ? Scale::log : Scale::linear;
    const bool integer = type() == "int" || (type().empty() && all_ints());
    if (integer) return IntRange{whole("min"), whole("max"), as, has("step") ? whole("step") : 1};
    if (has("step") && number("step") == 0)
      fail(node_.find("step")->at, "step is 0, expected a number above 0");
    return FloatRange{number("min"), number("max"), as, has("step") ? number("step") : 0};
  }

  [[nodiscard]] Domain choice() const {
    refuse({"scale", "step"}, "values");
    Choice choice;
    bool floats = type() == "float";
    bool numbers = true;
    for (const Node& item : node_.find("values")->items) {
      choice.values.push_back(value_of(item));
      floats = floats || std::holds_alternative<double>(choice.values.back());
      numbers = numbers && number_of(choice.values.back()).has_value();
    }
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      const Node& item = node_.find("values")->items[i];
      if (!type().empty() && !numbers && !number_of(choice.values[i])) {
        fail(item.at, rt::cat("parameters.", name_, ".values has ", describe(item),
                              ", expected numbers, as type: ", type(), " says"));
      }
      if (type() == "int" && !std::holds_alternative<std::int64_t>(choice.values[i])) {
        fail(item.at, rt::cat("parameters.", name_, ".values has ", describe(item),
                              ", expected ints, as type: int says"));
      }
      if (numbers && floats) choice.values[i] = *number_of(choice.values[i]);
      for (std::size_t k = 0; k < i && choice.values.size() <= 1000; ++k) {
        if (choice.values[k] == choice.values[i]) {
          fail(item.at, rt::cat("parameters.", name_, ".values has ", describe(item),
                                " twice, expected distinct values"));
        }
      }
    }
    return choice;
  }

  [[nodiscard]] Domain constant() const {
    refuse({"type", "scale", "step"}, "value");
    return Constant{value_of(*node_.find("value"))};
  }

  const std::string& name_;
  Position at_;
  const Node& node_;
};

/// A condition's value, as the parent would write it: 1 is 1.0 for a float.
ParamValue fit(const Node& node, const Parameter* parent, const std::string& where) {
  const auto value = as_value(unescape(node));
  if (!value)
    fail(node.at,
         rt::cat(where, " is ", describe(node), ", expected a value, or a list of values"));
  if (parent == nullptr || contains(parent->domain, *value)) return *value;
  const auto number = number_of(*value);
  if (number && contains(parent->domain, ParamValue(*number))) return *number;
  return *value;
}

using Known = std::unordered_map<std::string_view, const Parameter*>;

std::vector<Condition> read_conditions(const Entry& entry, const Known& all) {
  const Node* when = entry.value.find("when");
  if (when == nullptr) return {};
  const std::string where = rt::cat("parameters.", entry.key, ".when");
  if (!when->is_map() || when->entries.empty()) {
    fail(when->at,
         rt::cat(where, " is ", describe(*when), ", expected a map such as {optimizer: sgd}"));
  }
  std::vector<Condition> conditions;
  for (const Entry& condition : when->entries) {
    const auto parent = all.find(condition.key);
    const Parameter* known = parent != all.end() ? parent->second : nullptr;
    Condition result{.parameter = condition.key, .values = {}};
    if (condition.value.is_list()) {
      for (const Node& item : condition.value.items)
        result.values.push_back(fit(item, known, where));
    } else {
      result.values.push_back(fit(condition.value, known, where));
    }
    conditions.push_back(std::move(result));
  }
  return conditions;
}

/// Exponents where values belong: what W&B and Determined call log scales.
std::string exponent_hint(const Entry& entry, const SpaceError& error) {
  const Node* scale = entry.value.find("scale");
  const Node* min = entry.value.find("min");
  if (error.field() != "min" || scale == nullptr || scale->text != "log" || min == nullptr)
    return "";
  const auto value = as_value(*min);
  const auto number = value ? number_of(*value) : std::nullopt;
  if (!number || *number >= 0 || *number < -20 || *number != std::floor(*number)) return "";
  return rt::cat(" (bounds are values, never exponents)",
                 did_you_mean(rt::cat("1e", static_cast<int>(*number))));
}

[[noreturn]] void fail_at_parameter(const Entry& entry, const SpaceError& error) {
  const Entry* field = entry.value.find_entry(error.field());
  const std::string where =
      rt::cat("parameters.", entry.key, error.field().empty() ? "" : ".", error.field());
  fail(field != nullptr ? field->value.at : entry.key_at,
       rt::cat(where, " ", error.problem(), exponent_hint(entry, error)));
}

/// As the file would write it.
Node value_node(const ParamValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? string_node(escape(*text), {}) : node_of(value, {});
}

Node number_node(double value) { return node_of(value, {}); }
Node int_node(std::int64_t value) { return node_of(value, {}); }

struct WriteDomain {
  Node& map;

  void add(std::string key, Node value) const {
    map.entries.push_back({std::move(key), {}, std::move(value)});
  }

  template <class Range, class Write>
  void range(const Range& range, const char* type, Write write) const {
    add("type", plain_node(type, {}));
    add("min", write(range.min));
    add("max", write(range.max));
    add("scale", plain_node(range.scale == Scale::log ? "log" : "linear", {}));
  }
  void operator()(const FloatRange& r) const {
    range(r, "float", number_node);
    if (r.step != 0) add("step", number_node(r.step));
  }
  void operator()(const IntRange& r) const {
    range(r, "int", int_node);
    if (r.step != 1) add("step", int_node(r.step));
  }
  void operator()(const Choice& choice) const {
    Node list{.kind = Node::Kind::list};
    for (const ParamValue& value : choice.values) list.items.push_back(value_node(value));
    add("values", std::move(list));
  }
  void operator()(const Constant& constant) const { add("value", value_node(constant.value)); }
};

Node condition_node(const Condition& condition) {
  if (condition.values.size() == 1) return value_node(condition.values[0]);
  Node list{.kind = Node::Kind::list};
  for (const ParamValue& value : condition.values) list.items.push_back(value_node(value));
  return list;
}

}  // namespace

Space read_space(const Node& parameters) {
  if (parameters.entries.size() > kMostParameters) {
    fail(parameters.entries[kMostParameters].key_at,
         rt::cat("too many parameters, expected at most ", kMostParameters));
  }
  std::vector<Parameter> all;
  for (const Entry& entry : parameters.entries)
    all.push_back({entry.key, Reader(entry).domain(), {}});
  Known known;
  for (const Parameter& parameter : all) known.emplace(parameter.name, &parameter);
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].when = read_conditions(parameters.entries[i], known);
  try {
    return Space(std::move(all));
  } catch (const SpaceError& error) {
    fail_at_parameter(parameters.entries[error.parameter()], error);
  }
}

Node space_node(const Space& space) {
  Node result = map_node({});
  for (const Parameter& parameter : space.parameters()) {
    Node map = map_node({});
    std::visit(WriteDomain{map}, parameter.domain);
    if (!parameter.when.empty()) {
      Node when = map_node({});
      for (const Condition& condition : parameter.when)
        when.entries.push_back({condition.parameter, {}, condition_node(condition)});
      map.entries.push_back({"when", {}, std::move(when)});
    }
    result.entries.push_back({parameter.name, {}, std::move(map)});
  }
  return result;
}

}  // namespace hpo::study
