#include "hpo/study/parameters.h"

#include <cmath>
#include <unordered_map>

#include "base/text.h"
#include "hpo/study/domains.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

constexpr std::size_t kMostParameters = 10'000;

/// A condition's value, as the parent would write it: 1 is 1.0 for a float.
ParamValue fit(const Node& node, const Parameter* parent, const std::string& where) {
  const auto value = as_value(unescape(node));
  if (!value)
    fail(node.at,
         base::cat(where, " is ", describe(node), ", expected a value, or a list of values"));
  if (parent == nullptr || contains(parent->domain, *value)) return *value;
  const auto number = number_of(*value);
  if (number && contains(parent->domain, ParamValue(*number))) return *number;
  return *value;
}

using Known = std::unordered_map<std::string_view, const Parameter*>;

std::vector<Condition> read_conditions(const Entry& entry, const Known& all) {
  const Node* when = entry.value.find("when");
  if (when == nullptr) return {};
  const std::string where = base::cat("parameters.", entry.key, ".when");
  if (!when->is_map() || when->entries.empty()) {
    fail(when->at,
         base::cat(where, " is ", describe(*when), ", expected a map such as {optimizer: sgd}"));
  }
  std::vector<Condition> conditions;
  for (const Entry& condition : when->entries) {
    const auto parent = all.find(condition.key);
    const Parameter* known = parent != all.end() ? parent->second : nullptr;
    if (known != nullptr && !cardinality(known->domain))
      fail(condition.key_at, base::cat(where, " depends on one exact value of ", condition.key,
                                       ", which is ", describe(known->domain),
                                       " and hardly ever takes it; use a parameter with values "
                                       "or a step"));
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
  return base::cat(" (bounds are values, never exponents)",
                   did_you_mean(base::cat("1e", static_cast<int>(*number))));
}

[[noreturn]] void fail_at_parameter(const Entry& entry, const SpaceError& error) {
  const Entry* field = entry.value.find_entry(error.field());
  const std::string where =
      base::cat("parameters.", entry.key, error.field().empty() ? "" : ".", error.field());
  fail(field != nullptr ? field->value.at : entry.key_at,
       base::cat(where, " ", error.problem(), exponent_hint(entry, error)));
}

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
         base::cat("too many parameters, expected at most ", kMostParameters));
  }
  std::vector<Parameter> all;
  for (const Entry& entry : parameters.entries) all.push_back({entry.key, read_domain(entry), {}});
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
    Node map = domain_node(parameter.domain);
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
