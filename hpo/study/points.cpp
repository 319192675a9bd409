#include "hpo/study/points.h"

#include <string>

#include "base/text.h"
#include "hpo/space/fill.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

std::string where(const Entry& entry) { return base::cat("try_first.", entry.key); }

/// The parameter's value, as the parameter has it.
ParamValue value_of(const Entry& entry, const Space& space) {
  const Parameter* parameter = space.find(entry.key);
  if (parameter == nullptr) {
    std::vector<std::string> names;
    for (const Parameter& known : space.parameters()) names.push_back(known.name);
    throw StudyError(entry.key_at, base::cat("try_first names \"", base::printable(entry.key, 64),
                                             "\", expected the name of a parameter",
                                             did_you_mean(base::nearest(entry.key, names))));
  }
  const auto read = as_value(unescape(entry.value));
  if (!read || !contains(parameter->domain, as_meant(parameter->domain, *read))) {
    throw StudyError(entry.value.at, base::cat(where(entry), " is ", describe(entry.value),
                                               ", expected ", hpo::describe(parameter->domain),
                                               read ? whole_hint(parameter->domain, *read) : ""));
  }
  return as_meant(parameter->domain, *read);
}

/// What has to stand beside a parameter for it to exist.
std::string condition_text(const Parameter& parameter) {
  std::string text;
  for (const Condition& condition : parameter.when) {
    text += base::cat(text.empty() ? "" : " and ", condition.parameter, ": ",
                      text_of(condition.values.front()));
  }
  return text;
}

Params read_point(const Node& map, const Space& space) {
  if (!map.is_map() || map.entries.empty()) {
    throw StudyError(map.at, base::cat("a point of try_first is ", describe(map),
                                       ", expected a map from parameters to values"));
  }
  Params point;
  for (const Entry& entry : map.entries) point.set(entry.key, value_of(entry, space));
  for (const Entry& entry : map.entries) {
    const std::size_t index = *space.index_of(entry.key);
    if (space.is_active(index, point)) continue;
    throw StudyError(entry.key_at, base::cat(where(entry), " exists only with ",
                                             condition_text(space.parameters()[index]),
                                             ", which this point does not have"));
  }
  for (const Forbidden& combination : space.forbidden()) {
    if (holds(combination, point))
      throw StudyError(map.at, base::cat("try_first has a point that forbid excludes, because ",
                                         text_of(combination)));
  }
  const Filled all = filled(space, point);
  if (all.is_none)
    throw StudyError(map.at,
                     "forbid excludes every point with these values of try_first; change one of "
                     "them");
  if (!all.point)
    throw StudyError(map.at,
                     "no point with these values of try_first was found that forbid allows; give "
                     "more of its values");
  return point;
}

}  // namespace

std::vector<Params> read_points(const Node& list, const Space& space) {
  std::vector<Params> points;
  for (const Node& map : list.items) points.push_back(read_point(map, space));
  return points;
}

}  // namespace hpo::study
