#include "hpo/study/forbid.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "hpo/space/share.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

const Parameter& find(const Space& space, const std::string& name, Position at) {
  if (const Parameter* parameter = space.find(name)) return *parameter;
  std::vector<std::string> names;
  for (const Parameter& known : space.parameters()) names.push_back(known.name);
  fail(at,
       base::cat("forbid names \"", base::printable(name, 64),
                 "\", expected the name of a parameter", did_you_mean(base::nearest(name, names))));
}

bool has_numbers(const Domain& domain) {
  if (const auto* choice = std::get_if<Choice>(&domain))
    return std::ranges::all_of(
        choice->values, [](const ParamValue& value) { return number_of(value).has_value(); });
  return number_of(from_unit(domain, 0)).has_value();
}

/// The smallest and the largest number of a domain that has numbers.
std::pair<double, double> ends(const Domain& domain) {
  double low = *number_of(from_unit(domain, 0)), high = *number_of(from_unit(domain, 1));
  if (const auto* choice = std::get_if<Choice>(&domain)) {
    for (const ParamValue& value : choice->values) {
      low = std::min(low, *number_of(value));
      high = std::max(high, *number_of(value));
    }
  }
  return {std::min(low, high), std::max(low, high)};
}

/// What one entry of a combination says of its parameter.
class ClauseReader {
 public:
  ClauseReader(const Entry& entry, const Space& space)
      : entry_(entry),
        space_(space),
        parameter_(find(space, entry.key, entry.key_at)),
        where_("forbid." + entry.key) {}

  void read(std::vector<Clause>& clauses) const {
    const Node& node = entry_.value;
    if (node.is_map()) {
      read_bounds(node, clauses);
    } else if (const auto other = reference(node)) {
      clauses.push_back(clause(Clause::Is::equal, {}, *other));
    } else if (node.is_list() && !node.items.empty()) {
      std::vector<ParamValue> values;
      for (const Node& item : node.items) values.push_back(value(item));
      clauses.push_back(clause(Clause::Is::equal, std::move(values)));
    } else {
      clauses.push_back(clause(Clause::Is::equal, {value(node)}));
    }
  }

 private:
  [[nodiscard]] Clause clause(Clause::Is is, std::vector<ParamValue> values,
                              std::string other = "") const {
    return {
        .parameter = entry_.key, .is = is, .values = std::move(values), .other = std::move(other)};
  }

  /// The other parameter that a node refers to; none where it is a value.
  [[nodiscard]] std::optional<std::string> reference(const Node& node) const {
    if (!node.is_scalar() || node.text.find('$') == std::string::npos) return std::nullopt;
    const References found = references(node);
    if (found.names.empty()) return std::nullopt;
    if (!found.whole)
      fail(node.at, base::cat(where_, " mixes text with a parameter, expected one $name alone"));
    (void)find(space_, found.names[0], node.at);
    if (found.names[0] == entry_.key)
      fail(node.at, base::cat(where_, " is compared with itself; name another parameter"));
    return found.names[0];
  }

  [[nodiscard]] ParamValue value(const Node& node) const {
    const auto given = as_value(unescape(node));
    const Domain& domain = parameter_.domain;
    if (!given || !contains(domain, as_meant(domain, *given))) {
      fail(node.at, base::cat(where_, " is ", describe(node), ", expected ", hpo::describe(domain),
                              ", or the $name of another parameter"));
    }
    return as_meant(domain, *given);
  }

  void read_bounds(const Node& map, std::vector<Clause>& clauses) const {
    must_have_numbers(parameter_, map.at);
    if (map.entries.empty())
      fail(map.at, base::cat(where_, " is an empty map, expected {above: ...} or {below: ...}"));
    for (const Entry& bound : map.entries) {
      if (bound.key != "above" && bound.key != "below") {
        const std::string near = suggestion("forbid", bound.key, kWords);
        fail(bound.key_at,
             base::cat("unknown key \"", base::printable(bound.key, 60), "\", expected a key of ",
                       where_, " (above or below)", did_you_mean(near)));
      }
      clauses.push_back(read_bound(bound));
    }
  }

  [[nodiscard]] Clause read_bound(const Entry& bound) const {
    const bool above = bound.key == "above";
    const Clause::Is is = above ? Clause::Is::above : Clause::Is::below;
    if (const auto other = reference(bound.value)) {
      must_have_numbers(*space_.find(*other), bound.value.at);
      return clause(is, {}, *other);
    }
    const auto given = as_value(unescape(bound.value));
    const auto number = given ? number_of(*given) : std::nullopt;
    if (!number) {
      fail(bound.value.at, base::cat(where_, ".", bound.key, " is ", describe(bound.value),
                                     ", expected a number or the $name of another parameter"));
    }
    const auto [low, high] = ends(parameter_.domain);
    if (above ? *number >= high : *number <= low) {
      fail(bound.value.at,
           base::cat(where_, ".", bound.key, " can never hold: ", entry_.key, " is never ",
                     bound.key, " ", text_of(*given), " (", hpo::describe(parameter_.domain), ")"));
    }
    return clause(is, {*given});
  }

  void must_have_numbers(const Parameter& parameter, Position at) const {
    if (has_numbers(parameter.domain)) return;
    fail(at, base::cat(where_, " compares ", parameter.name, ", which has no numbers (",
                       hpo::describe(parameter.domain), "); use a value or a list of values"));
  }

  inline static const std::vector<std::string> kWords{"above", "below"};

  const Entry& entry_;
  const Space& space_;
  const Parameter& parameter_;
  std::string where_;
};

}  // namespace

Space without(const Node& list, const Space& space) {
  std::vector<Forbidden> forbidden;
  for (const Node& map : list.items) {
    if (!map.is_map() || map.entries.empty()) {
      fail(map.at, base::cat("forbid has ", map.is_map() ? "an empty map" : describe(map),
                             ", expected maps such as {optimizer: sgd, lr: {above: 0.1}}"));
    }
    Forbidden combination;
    for (const Entry& entry : map.entries) ClauseReader(entry, space).read(combination.clauses);
    forbidden.push_back(std::move(combination));
  }
  Space result(space.parameters(), std::move(forbidden));
  if (!leaves_some(result)) fail(list.at, "forbid excludes every point of the space; exclude less");
  return result;
}

}  // namespace hpo::study
