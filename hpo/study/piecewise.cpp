#include "hpo/study/piecewise.h"

#include <algorithm>

#include "base/text.h"
#include "hpo/study/checker.h"
#include "hpo/study/hints.h"
#include "hpo/study/scalars.h"
#include "hpo/study/substitute.h"

namespace hpo::study {

namespace {

const Field kEpoch{.name = "epoch",
                   .type = Type::integer,
                   .min = 0,
                   .max = 1e6,
                   .required = true,
                   .unit = "epochs",
                   .per_trial = true};

}  // namespace

/// The values that an epoch of a course can take, least and greatest.
std::pair<std::int64_t, std::int64_t> Checker::epoch_range(const Node& epoch,
                                                           const std::string& where) const {
  if (!refers(epoch)) return {as_integer(epoch), as_integer(epoch)};
  const References found = references(epoch);
  if (!found.whole)
    throw StudyError(
        epoch.at, base::cat(where, " mixes text with a parameter, expected an int or one $name"));
  std::vector<double> values;
  for (const ParamValue& value : samples(parameters_.at(found.names[0])->domain))
    values.push_back(number_of(value).value());
  const auto [low, high] = std::ranges::minmax(values);
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

/// One half of a pair. A parameter in it must always be there: half a pair says nothing.
Node Checker::check_half(const Node& half, const Field& field, const std::string& where) {
  Node checked = check_leaf(half, field, where);
  if (!refers(half)) return checked;
  for (const std::string& name : references(half).names) {
    if (parameters_.at(name)->when.empty()) continue;
    throw StudyError(half.at,
                     base::cat(where, " is needed by every trial, but $", name,
                               " is not always active; use a parameter that has no `when`"));
  }
  return checked;
}

Node Checker::check_course(const Node& node, const Field& field, const std::string& where) {
  if (node.items.empty()) fail_unexpected(node, where, field);
  Field one = field;
  one.count = Count::one;
  const std::string epoch_of = "the epoch in " + where;
  Node result{.kind = Node::Kind::list, .at = node.at};
  std::int64_t before = -1;
  for (const Node& item : node.items) {
    if (!item.is_list() || item.items.size() != 2) {
      throw StudyError(item.at, base::cat(where, " holds ", describe(item),
                                          ", expected [epoch, value] pairs such as [0, 0.1]"));
    }
    Node pair{.kind = Node::Kind::list, .at = item.at};
    pair.items = {check_half(item.items[0], kEpoch, epoch_of),
                  check_half(item.items[1], one, where)};
    const auto [low, high] = epoch_range(pair.items[0], epoch_of);
    if (before < 0 && high != 0)
      throw StudyError(item.items[0].at, base::cat(epoch_of, " is ", pair.items[0].text,
                                                   ", expected 0 in the first pair"));
    if (low <= before) {
      throw StudyError(
          item.items[0].at,
          base::cat(epoch_of, " is ", pair.items[0].text, high > low ? " (at least " : "",
                    high > low ? std::to_string(low) + ")" : "", " after ", before,
                    ", expected ascending epochs"));
    }
    before = high;
    result.items.push_back(std::move(pair));
  }
  return result;
}

std::vector<std::pair<std::int64_t, double>> read_piecewise(const Node& node) {
  std::vector<std::pair<std::int64_t, double>> points;
  for (const Node& pair : node.items)
    points.emplace_back(as_integer(pair.items[0]), as_number(pair.items[1]));
  return points;
}

}  // namespace hpo::study
