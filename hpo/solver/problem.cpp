#include "hpo/solver/problem.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/text.h"
#include "hpo/solver/field.h"

namespace hpo {

namespace {

constexpr std::int64_t kMostSteps = 1'000'000;

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw base::Error(base::Errc::usage, base::cat("parameter '", base::printable(name), "' ", what));
}

Domain continuous(const std::string& name, const base::Json& range, Scale scale) {
  const double low = Field(range, "low").number(), high = Field(range, "high").number();
  if (!(low < high)) refuse(name, "has an empty range, expected low < high");
  // The protocol's range is open at its end.
  return FloatRange{.min = low, .max = std::nextafter(high, low), .scale = scale, .step = 0};
}

Domain discrete(const std::string& name, const base::Json& range, Scale scale) {
  const std::int64_t low = Field(range, "low").integer(), high = Field(range, "high").integer();
  if (low >= high) refuse(name, "has an empty range, expected low < high");
  if (low < -kLargestBound || high > kLargestBound) refuse(name, "has bounds beyond 2^48");
  return IntRange{.min = low, .max = high - 1, .scale = scale, .step = 1};
}

Domain categorical(const base::Json& range) {
  Choice choice;
  for (std::string& word : Field(range, "choices").texts())
    choice.values.emplace_back(std::move(word));
  return choice;
}

Domain domain_of(const std::string& name, const base::Json& parameter) {
  const base::Json& range = Field(parameter, "range").json();
  const std::string type = Field(range, "type").text();
  const std::string spread = parameter.find("distribution") != nullptr
                                 ? Field(parameter, "distribution").text()
                                 : "UNIFORM";
  if (spread != "UNIFORM" && spread != "LOG_UNIFORM")
    refuse(name, base::cat("has distribution '", base::printable(spread),
                           "', expected UNIFORM or LOG_UNIFORM"));
  const Scale scale = spread == "UNIFORM" ? Scale::linear : Scale::log;
  if (type == "CONTINUOUS") return continuous(name, range, scale);
  if (type == "DISCRETE") return discrete(name, range, scale);
  if (type == "CATEGORICAL") return categorical(range);
  refuse(name, base::cat("has range '", base::printable(type),
                         "', expected CONTINUOUS, DISCRETE or CATEGORICAL"));
}

/// What `read` returns, its refusals of fields with the parameter's name.
template <class Read>
auto of_parameter(const std::string& name, const Read& read) {
  try {
    return read();
  } catch (const FieldError& error) {
    refuse(name, base::cat("is not understood: ", error.what()));
  }
}

/// When a parameter exists; nothing: always.
std::optional<Constraint> constraint_of(const base::Json& parameter) {
  const base::Json* constraint = parameter.find("constraint");
  if (constraint == nullptr || constraint->is_null()) return std::nullopt;
  return read_constraint(Field(*constraint, "lua_script").text());
}

/// The values of `condition` that its parameter can take.
std::vector<ParamValue> possible(const Condition& condition,
                                 const std::vector<Parameter>& parameters) {
  const auto found = std::ranges::find(parameters, condition.parameter, &Parameter::name);
  if (found == parameters.end())
    throw base::Error(base::Errc::usage,
                      base::cat("a constraint names '", base::printable(condition.parameter),
                                "', which is not a parameter of the problem"));
  std::vector<ParamValue> values;
  for (const ParamValue& value : condition.values) {
    const ParamValue meant = as_meant(found->domain, value);
    if (contains(found->domain, meant)) values.push_back(meant);
  }
  return values;
}

/// Without the comparisons that no value meets.
Constraint simplified(const Constraint& constraint, const std::vector<Parameter>& parameters) {
  Constraint out;
  for (const auto& alternative : constraint.alternatives) {
    std::vector<Condition> conditions;
    for (const Condition& condition : alternative)
      conditions.push_back({condition.parameter, possible(condition, parameters)});
    if (std::ranges::none_of(conditions, [](const Condition& c) { return c.values.empty(); }))
      out.alternatives.push_back(std::move(conditions));
  }
  return out;
}

/// The same as conditions that all have to hold, where that can be said.
std::optional<std::vector<Condition>> conjunction(const Constraint& constraint) {
  const auto& all = constraint.alternatives;
  if (all.size() == 1) return all.front();
  if (all.empty()) return std::nullopt;
  Condition one{all.front().front().parameter, {}};
  for (const auto& alternative : all) {
    if (alternative.size() != 1 || alternative.front().parameter != one.parameter)
      return std::nullopt;
    for (const ParamValue& value : alternative.front().values) {
      if (std::ranges::find(one.values, value) == one.values.end()) one.values.push_back(value);
    }
  }
  return std::vector<Condition>{one};
}

double number_of(const Domain& domain, const ParamValue& value) {
  if (std::holds_alternative<Choice>(domain)) return static_cast<double>(*rank_of(domain, value));
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

std::int64_t last_step(const base::Json& problem) {
  const base::Json* steps = problem.find("steps");
  if (steps == nullptr) return 1;
  std::int64_t last = 0;
  if (steps->is_list()) {
    for (const std::int64_t step : Field(problem, "steps").integers()) last = std::max(last, step);
  } else {
    last = Field(problem, "steps").integer();
  }
  if (last < 1 || last > kMostSteps)
    throw base::Error(base::Errc::usage,
                      base::cat("the problem has ", last, " steps, expected 1 to ", kMostSteps));
  return last;
}

}  // namespace

std::vector<std::optional<double>> SolverProblem::written(const Params& params) const {
  std::vector<std::optional<double>> out(space.size());
  Params existing;
  // No script says "not": what exists stays, so that a parameter may wait for one behind it.
  for (std::size_t before = 0;; before = existing.size()) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      const Parameter& parameter = space.parameters()[i];
      const ParamValue* value = params.find(parameter.name);
      if (out[i] || value == nullptr || (masks[i] && !masks[i]->holds(existing)) ||
          !Constraint{{parameter.when}}.holds(existing)) {
        continue;
      }
      existing.set(parameter.name, *value);
      out[i] = number_of(parameter.domain, *value);
    }
    if (existing.size() == before) return out;
  }
}

SolverProblem read_problem(const base::Json& problem) {
  const base::Json* values = problem.find("values_domain");
  const std::size_t metrics = values != nullptr ? Field(problem, "values_domain").list().size() : 1;
  if (metrics == 0)
    throw base::Error(base::Errc::usage, "the problem has no values, expected 1 or more");
  std::vector<Parameter> parameters;
  std::vector<std::optional<Constraint>> constraints;
  for (const auto& [unnamed, one] : Field(problem, "params_domain").list()) {
    const std::string name = Field(one, "name").text();
    of_parameter(name, [&, &one = one] {
      parameters.push_back({.name = name, .domain = domain_of(name, one), .when = {}});
      constraints.push_back(constraint_of(one));
    });
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!constraints[i]) continue;
    constraints[i] = simplified(*constraints[i], parameters);
    const auto when = conjunction(*constraints[i]);
    if (!when) continue;
    parameters[i].when = *when;
    constraints[i].reset();
  }
  return {.space = Space(std::move(parameters)),
          .masks = std::move(constraints),
          .steps = last_step(problem),
          .metrics = metrics};
}

}  // namespace hpo
