#include "hpo/space/space.h"

#include <algorithm>
#include <unordered_map>

#include "base/text.h"
#include "base/words.h"

namespace hpo {

namespace {

using Index = std::unordered_map<std::string_view, std::size_t>;

[[noreturn]] void fail(const std::vector<Parameter>& all, std::size_t at, const std::string& field,
                       const std::string& problem) {
  throw SpaceError(at, field, all[at].name, problem);
}

Index index_names(const std::vector<Parameter>& all) {
  Index index;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].name.empty()) fail(all, i, "", "has no name, expected one");
    if (!index.emplace(all[i].name, i).second)
      fail(all, i, "", "is used twice; parameter names must be unique");
  }
  return index;
}

/// For each parameter, the indices of those that its conditions name.
using Parents = std::vector<std::vector<std::size_t>>;

Parents find_parents(const std::vector<Parameter>& all, const Index& index) {
  Parents parents(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const Condition& condition : all[i].when) {
      const auto parent = index.find(condition.parameter);
      if (parent == index.end()) {
        std::vector<std::string> names;
        for (const Parameter& other : all) names.push_back(other.name);
        const std::string near = base::nearest(condition.parameter, names);
        fail(all, i, "when",
             base::cat("names \"", base::printable(condition.parameter, 64),
                       "\", expected the name of a parameter",
                       near.empty() ? "" : "; did you mean \"" + near + "\"?"));
      }
      const Domain& domain = all[parent->second].domain;
      if (condition.values.empty()) fail(all, i, "when", "has no value, expected at least one");
      for (const ParamValue& value : condition.values) {
        if (contains(domain, value)) continue;
        fail(all, i, "when",
             base::cat("can never hold: ", condition.parameter, " is never ", text_of(value),
                       ", expected ", describe(domain)));
      }
      parents[i].push_back(parent->second);
    }
  }
  return parents;
}

/// Parents first, otherwise as declared. Depth-first with its own stack: chains of conditions may
/// be long.
std::vector<std::size_t> sort_by_dependence(const std::vector<Parameter>& all,
                                            const Parents& parents) {
  enum class Mark : std::uint8_t { fresh, open, done };
  std::vector<Mark> marks(all.size(), Mark::fresh);
  std::vector<std::size_t> order;
  std::vector<std::pair<std::size_t, std::size_t>> stack;  // parameter, its next parent
  for (std::size_t root = 0; root < all.size(); ++root) {
    if (marks[root] != Mark::fresh) continue;
    stack.emplace_back(root, 0);
    marks[root] = Mark::open;
    while (!stack.empty()) {
      auto& [at, next] = stack.back();
      if (next == parents[at].size()) {
        marks[at] = Mark::done;
        order.push_back(at);
        stack.pop_back();
        continue;
      }
      const std::size_t parent = parents[at][next++];
      if (marks[parent] == Mark::open) fail(all, at, "when", "depends on itself in a circle");
      if (marks[parent] == Mark::fresh) {
        marks[parent] = Mark::open;
        stack.emplace_back(parent, 0);
      }
    }
  }
  return order;
}

/// All that must hold for a parameter to exist is a list of single conditions, its parents' among
/// them: together they can hold unless two ask for different values of one parameter.
void check_contradictions(const std::vector<Parameter>& all, const Parents& parents) {
  for (std::size_t root = 0; root < all.size(); ++root) {
    if (all[root].when.size() < 2) continue;  // what its one parent needs was looked at there
    std::unordered_map<std::size_t, std::vector<ParamValue>> left;
    std::vector<std::size_t> open{root};
    std::vector<bool> seen(all.size());
    while (!open.empty()) {
      const std::size_t at = open.back();
      open.pop_back();
      for (std::size_t c = 0; c < all[at].when.size(); ++c) {
        const std::vector<ParamValue>& values = all[at].when[c].values;
        const std::size_t parent = parents[at][c];
        const auto known = left.emplace(parent, values).first;
        std::erase_if(known->second, [&](const ParamValue& value) {
          return std::ranges::find(values, value) == values.end();
        });
        if (known->second.empty()) {
          fail(all, root, "when",
               base::cat("can never hold: it needs two different values of ", all[parent].name));
        }
        if (!seen[parent]) open.push_back(parent);
        seen[parent] = true;
      }
    }
  }
}

}  // namespace

SpaceError::SpaceError(std::size_t parameter, std::string field, const std::string& name,
                       const std::string& problem)
    : base::Error(base::Errc::study, base::cat("parameter \"", base::printable(name, 64),
                                               "\": ", field, field.empty() ? "" : " ", problem)),
      parameter_(parameter),
      field_(std::move(field)),
      problem_(problem) {}

Space::Space(std::vector<Parameter> parameters, std::vector<Forbidden> forbidden)
    : parameters_(std::move(parameters)), forbidden_(std::move(forbidden)) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (const auto fault = fault_of(parameters_[i].domain))
      fail(parameters_, i, fault->field, fault->problem);
  }
  const Parents parents = find_parents(parameters_, index_names(parameters_));
  order_ = sort_by_dependence(parameters_, parents);
  check_contradictions(parameters_, parents);
  for (const Forbidden& combination : forbidden_) {
    if (combination.clauses.empty())
      throw base::Error(base::Errc::study, "forbid: a combination says nothing, expected a clause");
    for (const Clause& clause : combination.clauses) {
      if (find(clause.parameter) == nullptr || (!clause.other.empty() && !find(clause.other)))
        throw base::Error(base::Errc::study, "forbid: " + text_of(combination) +
                                                 " names no parameter, expected the name of one");
    }
  }
}

std::optional<std::size_t> Space::index_of(std::string_view name) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (parameters_[i].name == name) return i;
  }
  return std::nullopt;
}

const Parameter* Space::find(std::string_view name) const {
  const auto index = index_of(name);
  return index ? &parameters_[*index] : nullptr;
}

bool Space::is_active(std::size_t index, const Params& params) const {
  return std::ranges::all_of(parameters_[index].when, [&](const Condition& condition) {
    const ParamValue* value = params.find(condition.parameter);
    return value != nullptr &&
           std::ranges::find(condition.values, *value) != condition.values.end();
  });
}

std::vector<std::size_t> Space::active(const Params& params) const {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < size(); ++i) {
    if (is_active(i, params)) result.push_back(i);
  }
  return result;
}

std::string Space::reason_outside(const Params& params) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
  for (const auto& [name, value] : params) {
    const auto index = index_of(name);
    if (!index)
      return base::cat(
          "there is no parameter \"", base::printable(name, 64), "\"",
          names.empty() ? ": the study has no parameters" : base::expected_one_of(names, name));
    if (!is_active(*index, params))
      return base::cat("parameter \"", name, "\" is not active with these values");
    const Domain& domain = parameters_[*index].domain;
    if (!hpo::contains(domain, value)) {
      return base::cat("parameter \"", name, "\" is ", base::printable(text_of(value), 64),
                       ", expected ", describe(domain), whole_hint(domain, value));
    }
  }
  auto entry = params.begin();
  for (const std::size_t i : active(params)) {
    if (!params.contains(names[i])) return base::cat("parameter \"", names[i], "\" has no value");
    if (entry->first != names[i]) return base::cat("parameter \"", names[i], "\" is out of order");
    ++entry;
  }
  for (const Forbidden& combination : forbidden_) {
    if (holds(combination, params)) return "forbid excludes this point: " + text_of(combination);
  }
  return "";
}

bool Space::allows(const Params& params) const {
  return std::ranges::none_of(
      forbidden_, [&](const Forbidden& combination) { return holds(combination, params); });
}

bool Space::contains(const Params& params) const { return reason_outside(params).empty(); }

Params Space::adopt(const Params& given, const Params& base) const {
  Params chosen;
  for (const std::size_t i : order_) {
    const Parameter& parameter = parameters_[i];
    if (const ParamValue* value = given.find(parameter.name)) {
      chosen.set(parameter.name, as_meant(parameter.domain, *value));
    } else if (const ParamValue* kept = base.find(parameter.name);
               kept != nullptr && is_active(i, chosen)) {
      chosen.set(parameter.name, as_meant(parameter.domain, *kept));
    }
  }
  Params result = in_order(chosen);
  for (const Params* from : {&given, &base}) {
    for (const auto& [name, value] : *from) {
      if (!index_of(name)) result.set(name, value);
    }
  }
  return result;
}

Params Space::from_unit(std::span<const double> u) const {
  if (u.size() != size())
    throw base::Error(base::Errc::internal, "from_unit: expected one coordinate a parameter");
  Params point;
  for (const std::size_t i : order_) {
    if (is_active(i, point))
      point.append(parameters_[i].name, hpo::from_unit(parameters_[i].domain, u[i]));
  }
  return std::ranges::is_sorted(order_) ? point : in_order(point);
}

Params Space::completed(const Params& given, const Params& base) const {
  std::vector<double> u = to_unit(base);
  for (std::size_t i = 0; i < size(); ++i) {
    if (const ParamValue* value = given.find(parameters_[i].name))
      u[i] = hpo::to_unit(parameters_[i].domain, as_meant(parameters_[i].domain, *value));
  }
  return adopt(given, from_unit(u));
}

Params Space::middle() const { return from_unit(std::vector<double>(size(), 0.5)); }

std::vector<double> Space::to_unit(const Params& params) const {
  std::vector<double> u(size(), 0.5);
  for (std::size_t i = 0; i < size(); ++i) {
    if (const ParamValue* value = params.find(parameters_[i].name))
      u[i] = hpo::to_unit(parameters_[i].domain, *value);
  }
  return u;
}

Params Space::in_order(const Params& params) const {
  Params result;
  for (const Parameter& parameter : parameters_) {
    if (const ParamValue* value = params.find(parameter.name)) result.set(parameter.name, *value);
  }
  return result;
}

}  // namespace hpo
