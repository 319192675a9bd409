#include "nn/model/units.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace nn {
namespace {

constexpr std::string_view kInput = "input";

/// Calls f with every list of numbers of a state, in the order of their words.
template <class State, class F>
void for_each_list(State& units, F f) {
  for (auto& group : units.groups) f(group.ids);
  for (auto& axis : units.axes) f(axis.births);
}

void check(const UnitState::Group& group) {
  std::vector<std::int64_t> sorted = group.ids;
  std::ranges::sort(sorted);
  const bool different = std::ranges::adjacent_find(sorted) == sorted.end();
  const bool known = sorted.empty() || (sorted.front() >= 0 && sorted.back() < group.next);
  if (!different || !known)
    throw base::Error(base::Errc::data, "units: the ids of " + group.name + " are not unit ids");
}

}  // namespace

const UnitState::Group* UnitState::group(std::string_view name) const {
  const auto it = std::ranges::find(groups, name, &Group::name);
  return it == groups.end() ? nullptr : &*it;
}

const UnitState::Axis* UnitState::axis(std::int32_t tensor, std::int32_t axis) const {
  const auto it = std::ranges::find_if(
      axes, [&](const Axis& a) { return a.tensor == tensor && a.axis == axis; });
  return it == axes.end() ? nullptr : &*it;
}

UnitState first_units(const ModelSpec& spec) {
  UnitState units;
  for (const UnitGroup& group : unit_groups(spec)) {
    if (group.name == kInput) continue;
    std::vector<std::int64_t> ids(static_cast<std::size_t>(group.units));
    std::iota(ids.begin(), ids.end(), 0);
    units.groups.push_back({group.name, group.units, std::move(ids)});
  }
  const ParamLayout layout = param_layout(spec);
  for (std::size_t t = 0; t < layout.tensors.size(); ++t) {
    const auto& axes = layout.tensors[t].axes;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axes[a].group.empty() || axes[a].group == kInput) continue;
      units.axes.push_back({static_cast<std::int32_t>(t), static_cast<std::int32_t>(a),
                            std::vector<std::int64_t>(static_cast<std::size_t>(axes[a].units))});
    }
  }
  return units;
}

std::vector<std::int64_t> ids_along(const UnitState& units, const AxisRole& role) {
  if (const UnitState::Group* group = units.group(role.group)) return group->ids;
  std::vector<std::int64_t> ids(static_cast<std::size_t>(role.units));
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::size_t unit_words(const ModelSpec& spec) {
  const UnitState units = first_units(spec);
  std::size_t words = units.groups.size();
  for_each_list(units, [&](const auto& list) { words += list.size(); });
  return words;
}

void write_units(const UnitState& units, std::span<std::int64_t> words) {
  auto out = words.begin();
  for (const auto& group : units.groups) *out++ = group.next;
  for_each_list(units, [&](const auto& list) { out = std::ranges::copy(list, out).out; });
}

UnitState read_units(const ModelSpec& spec, std::span<const std::int64_t> words) {
  UnitState units = first_units(spec);
  if (words.size() != unit_words(spec))
    throw base::Error(base::Errc::data, "units: not as many as the network has");
  auto in = words.begin();
  for (auto& group : units.groups) group.next = *in++;
  for_each_list(units, [&](auto& list) {
    std::ranges::copy_n(in, std::ssize(list), list.begin());
    in += std::ssize(list);
  });
  for (const auto& group : units.groups) check(group);
  for (const auto& axis : units.axes) {
    if (std::ranges::any_of(axis.births, [](auto b) { return b < 0; })) {
      throw base::Error(base::Errc::data, "units: a birth is before the first step");
    }
  }
  return units;
}

}  // namespace nn
