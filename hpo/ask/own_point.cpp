#include "hpo/ask/own_point.h"

#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "hpo/ask/refusal.h"
#include "hpo/space/fill.h"

namespace hpo {

namespace {

ParamValue value_for(const Parameter& parameter, const ParamValue& given) {
  const ParamValue value = as_meant(parameter.domain, given);
  if (contains(parameter.domain, value)) return value;
  throw refusal(base::cat("params.", parameter.name, " is ", text_of(given), ", expected ",
                          describe(parameter.domain), whole_hint(parameter.domain, value)));
}

void require_parameter(const std::string& name, const Space& space) {
  if (space.find(name) != nullptr) return;
  std::vector<std::string> names;
  for (const Parameter& known : space.parameters()) names.push_back(known.name);
  throw refusal(base::cat("params names \"", base::printable(name, 64),
                          "\", expected the name of a parameter", base::did_you_mean(name, names)));
}

/// What has to stand beside a parameter for it to exist.
std::string condition_text(const Parameter& parameter) {
  std::string text;
  for (const Condition& condition : parameter.when)
    text += base::cat(text.empty() ? "" : " and ", condition.parameter, "=",
                      text_of(condition.values.front()));
  return text;
}

}  // namespace

Params own_point(const Params& given, const Space& space) {
  for (const auto& [name, value] : given) require_parameter(name, space);
  Params point;
  for (const Parameter& parameter : space.parameters()) {
    if (const ParamValue* value = given.find(parameter.name))
      point.set(parameter.name, value_for(parameter, *value));
  }
  for (const auto& [name, value] : point) {
    const std::size_t index = *space.index_of(name);
    if (space.is_active(index, point)) continue;
    throw refusal(base::cat("params.", name, " exists only with ",
                            condition_text(space.parameters()[index]),
                            ", which these params do not have"));
  }
  for (const Forbidden& combination : space.forbidden()) {
    if (holds(combination, point))
      throw refusal(
          base::cat("params are a point that forbid excludes, because ", text_of(combination)));
  }
  if (const Filled whole = filled(space, point); !whole.point)
    throw refusal(whole.is_none ? "params: forbid excludes every point with these values"
                                : "params: no point with these values was found that forbid "
                                  "allows; give more of its values");
  return point;
}

}  // namespace hpo
