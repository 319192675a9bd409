#include "nn/reshape/net.h"

#include <algorithm>
#include <cmath>

#include "nn/optimizers/optimizer.h"
#include "nn/reshape/gather.h"

namespace nn {
namespace {

bool in_group(const ParamTensor& tensor, std::size_t axis, const std::string& group) {
  return tensor.axes[axis].group == group;
}

std::vector<double> powers(const std::vector<double>& factors, int power) {
  std::vector<double> out(power == 0 ? 0 : factors.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::pow(factors[i], power);
  return out;
}

/// The gathers along the axes of one tensor. For a slot, `power` is that of the slot; weights have
/// none.
std::vector<AxisGather> gathers(const ParamTensor& from, const ParamTensor& to, const UnitMap& map,
                                bool weights, int power) {
  std::vector<AxisGather> out;
  for (std::size_t a = 0; a < to.axes.size(); ++a) {
    if (!in_group(to, a, map.group)) {
      out.push_back(whole_axis(to.dims[a]));
      continue;
    }
    const bool own = static_cast<std::int32_t>(a) == to.out_axis;
    const auto& factors = weights ? (own ? map.in : map.out) : (own ? map.out : map.in);
    out.push_back(unit_axis(map.source, powers(factors, weights ? 1 : power), from.axes[a].units,
                            to.axes[a].repeat));
  }
  return out;
}

template <class T>
void gather_numbers(const Net<T>& from, const UnitMap& map, Net<T>& to) {
  const int slots = to.header.slots;
  const auto slot_powers =
      slots > 0 ? optimizer_of(to.header.optimizer).slot_powers() : std::span<const int>();
  for (std::size_t t = 0; t < to.layout.tensors.size(); ++t) {
    const ParamTensor& old = from.layout.tensors[t];
    const ParamTensor& now = to.layout.tensors[t];
    for (int c = 0; c <= slots; ++c) {
      const int power = c == 0 ? 1 : slot_powers[static_cast<std::size_t>(c - 1)];
      gather(gathers(old, now, map, c == 0, power), old.dims, from.copy(c).data() + old.offset,
             to.copy(c).data() + now.offset);
    }
  }
}

UnitState::Group regrouped_ids(const UnitState::Group& old, const UnitMap& map) {
  UnitState::Group out{old.name, old.next, {}};
  std::vector<bool> given(old.ids.size());
  for (const std::int32_t source : map.source) {
    const bool first = source != kFreshUnit && !given[static_cast<std::size_t>(source)];
    out.ids.push_back(first ? old.ids[static_cast<std::size_t>(source)] : out.next++);
    if (first) given[static_cast<std::size_t>(source)] = true;
  }
  return out;
}

void regroup_births(std::vector<std::int64_t>& births, const UnitMap& map, std::int64_t now) {
  std::vector<std::int64_t> out;
  for (const std::int32_t source : map.source) {
    out.push_back(source == kFreshUnit ? now : births[static_cast<std::size_t>(source)]);
  }
  births = std::move(out);
}

ParamSlab::Header header_for(const ParamSlab::Header& from, const ModelSpec& spec) {
  return {spec, from.optimizer, from.slots, true};
}

/// The old group that a new one continues: of the same name, or one along an axis of the same
/// tensor.
template <class T>
const UnitState::Group* ancestor(const Net<T>& from, const Net<T>& to, const std::string& group) {
  if (const auto* same = from.units.group(group)) return same;
  for (const ParamTensor& tensor : to.layout.tensors) {
    const ParamTensor* old = from.layout.find(tensor.name);
    for (std::size_t a = 0; old != nullptr && a < tensor.axes.size(); ++a) {
      if (tensor.axes[a].group == group) return from.units.group(old->axes[a].group);
    }
  }
  return nullptr;
}

}  // namespace

template <class T>
Net<T> Net<T>::empty(ParamSlab::Header header) {
  Net net{std::move(header), {}, {}, {}, {}};
  net.layout = param_layout(net.header.spec);
  net.units = first_units(net.header.spec);
  net.numbers.resize(net.layout.count * (1 + static_cast<std::size_t>(net.header.slots)));
  return net;
}

template <class T>
std::span<T> Net<T>::copy(int i) {
  return std::span(numbers).subspan(static_cast<std::size_t>(i) * layout.count, layout.count);
}

template <class T>
std::span<const T> Net<T>::copy(int i) const {
  return std::span(numbers).subspan(static_cast<std::size_t>(i) * layout.count, layout.count);
}

Net<float> net_of(const ParamSlab& slab) {
  Net<float> net = Net<float>::empty(slab.header());
  std::copy_n(slab.weights().data(), net.numbers.size(), net.numbers.begin());
  net.units = slab.units();
  net.state = slab.state();
  return net;
}

ParamSlab slab_of(const Net<float>& net) {
  ParamSlab slab(header_for(net.header, net.spec()));
  std::ranges::copy(net.numbers, slab.weights().data());
  slab.set_units(net.units);
  slab.state() = net.state;
  return slab;
}

template <class T>
Net<T> regroup(const Net<T>& from, const ModelSpec& to, const UnitMap& map) {
  Net<T> out = Net<T>::empty(header_for(from.header, to));
  out.state = from.state;
  gather_numbers(from, map, out);
  out.units = from.units;
  for (auto& group : out.units.groups) {
    if (group.name == map.group) group = regrouped_ids(group, map);
  }
  for (auto& axis : out.units.axes) {
    const ParamTensor& tensor = out.layout.tensors[static_cast<std::size_t>(axis.tensor)];
    if (in_group(tensor, static_cast<std::size_t>(axis.axis), map.group)) {
      regroup_births(axis.births, map, out.state.steps);
    }
  }
  return out;
}

template <class T>
Net<T> transplant(const Net<T>& from, const ModelSpec& to) {
  Net<T> out = Net<T>::empty(header_for(from.header, to));
  out.state = from.state;
  for (auto& axis : out.units.axes) std::ranges::fill(axis.births, out.state.steps);
  for (std::size_t t = 0; t < out.layout.tensors.size(); ++t) {
    const ParamTensor& tensor = out.layout.tensors[t];
    const ParamTensor* old = from.layout.find(tensor.name);
    if (old == nullptr || old->dims != tensor.dims) continue;
    for (int c = 0; c <= out.header.slots; ++c) {
      std::ranges::copy(from.copy(c).subspan(old->offset, old->count),
                        out.copy(c).data() + tensor.offset);
    }
    const auto index = static_cast<std::int32_t>(old - from.layout.tensors.data());
    for (auto& axis : out.units.axes) {
      if (axis.tensor != static_cast<std::int32_t>(t)) continue;
      const auto* before = from.units.axis(index, axis.axis);
      if (before != nullptr && before->births.size() == axis.births.size()) {
        axis.births = before->births;
      }
    }
  }
  for (auto& group : out.units.groups) {
    const auto* old = ancestor(from, out, group.name);
    if (old != nullptr && old->ids.size() == group.ids.size()) {
      group = {group.name, old->next, old->ids};
    }
  }
  return out;
}

template struct Net<float>;
template struct Net<double>;
template Net<float> regroup(const Net<float>&, const ModelSpec&, const UnitMap&);
template Net<double> regroup(const Net<double>&, const ModelSpec&, const UnitMap&);
template Net<float> transplant(const Net<float>&, const ModelSpec&);
template Net<double> transplant(const Net<double>&, const ModelSpec&);

}  // namespace nn
