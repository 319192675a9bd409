#include "hpo/samplers/surrogate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace hpo {

namespace {

constexpr double kWorst = 4;  // of a loss, as a share of the spread

bool is_named(const Space& space, const std::string& name) {
  return std::ranges::any_of(space.parameters(), [&](const Parameter& parameter) {
    return std::ranges::any_of(parameter.when,
                               [&](const Condition& c) { return c.parameter == name; });
  });
}

Feature feature_of(const Features::Axis& axis, const Domain& domain, const ParamValue& value) {
  if (axis.along == Along::numbers) return {.at = to_unit(domain, value)};
  return {.at = static_cast<double>(*rank_of(domain, value))};
}

Feature absent(const Features::Axis& axis) {
  return {.at = axis.along == Along::numbers ? 0.5 : -1, .absent = true};
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Trials that break bounds lie above all that break none, by how much they do.
double tamed(const Merit& merit, double best, const Yardstick& by) {
  if (merit.group == Merit::kInfeasible) return kWorst * (2 - 1 / (1 + merit.violation));
  double loss = merit.group == Merit::kFailed ? INFINITY : std::max(merit.loss, best);
  if (merit.group == 1) loss = std::max(loss, by.middle);
  const double above = (loss - by.middle) / by.spread;
  if (above <= 0) return above;
  return std::isinf(above) ? kWorst : above / (1 + above / kWorst);
}

}  // namespace

Features::Features(const Space& space) : space_(space) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& parameter = space.parameters()[i];
    conditional_ = conditional_ || !parameter.when.empty();
    const std::optional<std::uint64_t> values = cardinality(parameter.domain);
    if (values == 1 && parameter.when.empty()) continue;
    axes_.push_back({.parameter = i,
                     .along = has_order(parameter.domain) ? Along::numbers : Along::words,
                     .values = values.value_or(0),
                     .decides = is_named(space, parameter.name)});
  }
}

std::vector<Along> Features::along() const {
  std::vector<Along> all;
  for (const Axis& axis : axes_) all.push_back(axis.along);
  return all;
}

std::vector<Feature> Features::of(const Params& params) const {
  std::vector<Feature> features;
  for (const Axis& axis : axes_) {
    const Parameter& parameter = space_.parameters()[axis.parameter];
    const ParamValue* value = params.find(parameter.name);
    features.push_back(value == nullptr ? absent(axis)
                                        : feature_of(axis, parameter.domain, *value));
  }
  return features;
}

std::vector<Feature> Features::of(std::span<const double> place) const {
  if (conditional_) return of(space_.from_unit(place));
  std::vector<Feature> features;
  for (const Axis& axis : axes_) {
    const Domain& domain = space_.parameters()[axis.parameter].domain;
    const double u = place[axis.parameter];
    features.push_back(axis.values == 0 ? Feature{.at = u}
                                        : feature_of(axis, domain, from_unit(domain, u)));
  }
  return features;
}

Yardstick yardstick(std::span<const Merit> first, std::span<const Merit> all) {
  for (const std::span<const Merit> trials : {first, all}) {
    std::vector<double> losses;
    for (const Merit& merit : trials) {
      if (merit.group < Merit::kInfeasible && std::isfinite(merit.loss))
        losses.push_back(merit.loss);
    }
    if (losses.size() < 3) continue;
    const double middle = median_of(losses), best = std::ranges::min(losses);
    if (best < middle) return {.middle = middle, .spread = middle - best};
  }
  return {};
}

std::vector<double> tamed(std::span<const Merit> trials, const Yardstick& by) {
  double best = INFINITY;
  for (const Merit& merit : trials) {
    if (merit.group < Merit::kInfeasible && std::isfinite(merit.loss))
      best = std::min(best, merit.loss);
  }
  std::vector<double> losses;
  double sum = 0, squares = 0;
  for (const Merit& merit : trials) {
    losses.push_back(tamed(merit, best, by));
    sum += losses.back();
  }
  for (double& loss : losses) {
    loss -= sum / static_cast<double>(losses.size());
    squares += loss * loss;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(losses.size()));
  for (double& loss : losses) loss = deviation > 0 ? loss / deviation : 0;
  return losses;
}

std::vector<Merit> last_of_each(std::span<const Merit> records) {
  std::set<std::uint64_t> seen;
  std::vector<Merit> last;
  for (auto record = records.rbegin(); record != records.rend(); ++record)
    if (seen.insert(record->trial).second) last.push_back(*record);
  std::ranges::reverse(last);
  return last;
}

std::vector<Merit> remembered(std::span<const Merit> ended, std::size_t most) {
  if (ended.size() <= most) return {ended.begin(), ended.end()};
  const std::size_t newest = most / 2;
  std::vector<Merit> older(ended.begin(), ended.end() - static_cast<std::ptrdiff_t>(newest));
  std::ranges::nth_element(older, older.begin() + static_cast<std::ptrdiff_t>(most - newest));
  std::set<std::uint64_t> kept;
  for (std::size_t i = 0; i < most - newest; ++i) kept.insert(older[i].trial);
  std::vector<Merit> chosen;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    if (i + newest >= ended.size() || kept.contains(ended[i].trial)) chosen.push_back(ended[i]);
  }
  return chosen;
}

}  // namespace hpo
