#include "nn/reshape/net.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "nn/optimizers/optimizer.h"

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

/// Which entries of an axis become which, in lists that a kernel reads.
struct AxisLists {
  std::vector<std::int32_t> source;
  std::vector<double> factor;
  kern::AxisMap map;
};

/// An axis of `repeat` positions of units, unit fastest.
AxisLists unit_axis(const UnitMap& map, const std::vector<double>& factor, std::int32_t old_units,
                    std::int32_t repeat) {
  AxisLists out;
  for (std::int32_t position = 0; position < repeat; ++position) {
    for (const std::int32_t unit : map.source)
      out.source.push_back(unit < 0 ? unit : position * old_units + unit);
    out.factor.insert(out.factor.end(), factor.begin(), factor.end());
  }
  out.map = {.source = out.source.data(),
             .factor = out.factor.empty() ? nullptr : out.factor.data(),
             .length = static_cast<int>(out.source.size()),
             .before = old_units * repeat};
  return out;
}

/// The power of a slot, the i-th copy; none of the weights.
std::optional<int> power_of(const ParamSlab::Header& header, int copy) {
  if (copy == 0) return std::nullopt;
  return optimizer_of(header.optimizer).slot_powers()[static_cast<std::size_t>(copy - 1)];
}

/// How the axes of one tensor change.
std::vector<AxisLists> axes_of(const ParamTensor& from, const ParamTensor& to, const UnitMap& map,
                               std::optional<int> power) {
  std::vector<AxisLists> out;
  for (std::size_t a = 0; a < to.axes.size(); ++a) {
    if (!in_group(to, a, map.group)) {
      out.push_back({{}, {}, {nullptr, nullptr, to.dims[a], to.dims[a]}});
      continue;
    }
    const bool own = static_cast<std::int32_t>(a) == to.out_axis;
    const auto& factors = own == power.has_value() ? map.out : map.in;
    out.push_back(
        unit_axis(map, powers(factors, power.value_or(1)), from.axes[a].units, to.axes[a].repeat));
  }
  return out;
}

template <class T>
void copy_numbers(const kern::Kernels<T>& kernels, std::size_t count, const T* from, T* to) {
  constexpr std::size_t kPiece = std::size_t{1} << 28;
  const std::uint32_t row = 0;
  kern::Exec exec;
  for (std::size_t begin = 0; begin < count; begin += kPiece) {
    const std::size_t some = std::min(kPiece, count - begin);
    kernels.copy_rows(exec, {.table = from + begin,
                             .rows = &row,
                             .count = 1,
                             .words = some * sizeof(T) / sizeof(std::uint32_t),
                             .out = to + begin});
  }
}

template <class T>
void gather_tensor(const kern::Kernels<T>& kernels, const std::vector<AxisLists>& axes,
                   const T* from, T* to) {
  kern::RegroupArgs<T> args{.axes = static_cast<int>(axes.size()), .x = from, .y = to};
  for (std::size_t a = 0; a < axes.size(); ++a) args.axis[a] = axes[a].map;
  kern::Exec exec;
  kernels.regroup(exec, args);
}

template <class T>
void gather_numbers(const kern::Kernels<T>& kernels, const Net<T>& from, const UnitMap& map,
                    Net<T>& to) {
  for (std::size_t t = 0; t < to.layout.tensors.size(); ++t) {
    const ParamTensor& old = from.layout.tensors[t];
    const ParamTensor& now = to.layout.tensors[t];
    bool moves = false;
    for (std::size_t a = 0; a < now.axes.size(); ++a) moves = moves || in_group(now, a, map.group);
    for (int c = 0; c <= to.header.slots; ++c) {
      const T* source = from.copy(c).data() + old.offset;
      T* target = to.copy(c).data() + now.offset;
      if (moves)
        gather_tensor(kernels, axes_of(old, now, map, power_of(to.header, c)), source, target);
      else
        copy_numbers(kernels, now.count, source, target);
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
Net<T> Net<T>::empty(ParamSlab::Header header, T* room) {
  Net net{std::move(header), {}, {}, {}, {}};
  net.layout = param_layout(net.header.spec);
  net.units = first_units(net.header.spec);
  const std::size_t count = net.layout.count * (1 + static_cast<std::size_t>(net.header.slots));
  net.numbers = room == nullptr ? Numbers<T>(count) : Numbers<T>(room, count);
  return net;
}

template <class T>
std::span<T> Net<T>::copy(int i) {
  return numbers.all().subspan(static_cast<std::size_t>(i) * layout.count, layout.count);
}

template <class T>
std::span<const T> Net<T>::copy(int i) const {
  return numbers.all().subspan(static_cast<std::size_t>(i) * layout.count, layout.count);
}

Net<float> net_of(const ParamSlab& slab, const kern::Memory& memory) {
  Net<float> net = Net<float>::empty(slab.header(), const_cast<float*>(slab.weights().data()));
  net.units = slab.units(memory);
  net.state = slab.state(memory);
  return net;
}

ParamSlab::Header reshaped_header(const ParamSlab::Header& from, const ModelSpec& spec) {
  return {spec, from.optimizer, from.slots, true};
}

ParamSlab slab_of(const Net<float>& net) {
  ParamSlab slab(reshaped_header(net.header, net.spec()));
  std::ranges::copy(net.numbers.all(), slab.weights().data());
  slab.set_units(net.units);
  slab.state() = net.state;
  return slab;
}

template <class T>
Net<T> regroup(const kern::Kernels<T>& kernels, const Net<T>& from, const ModelSpec& to,
               const UnitMap& map, T* room) {
  Net<T> out = Net<T>::empty(reshaped_header(from.header, to), room);
  out.state = from.state;
  gather_numbers(kernels, from, map, out);
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
void regroup_tensor(const ReshapeContext<T>& hands, const ParamLayout& old, std::span<const T> list,
                    const UnitMap& map, std::pair<int, std::size_t> tensor, Net<T>& net) {
  const auto [copy, index] = tensor;
  const ParamTensor& now = net.layout.tensors[index];
  gather_tensor(hands.kernels, axes_of(old.tensors[index], now, map, power_of(net.header, copy)),
                hands.placed(list), net.copy(copy).data() + now.offset);
}

template <class T>
Net<T> transplant(const kern::Kernels<T>& kernels, const Net<T>& from, const ModelSpec& to,
                  T* room) {
  Net<T> out = Net<T>::empty(reshaped_header(from.header, to), room);
  out.state = from.state;
  for (auto& axis : out.units.axes) std::ranges::fill(axis.births, out.state.steps);
  for (std::size_t t = 0; t < out.layout.tensors.size(); ++t) {
    const ParamTensor& tensor = out.layout.tensors[t];
    const ParamTensor* old = from.layout.find(tensor.name);
    if (old == nullptr || old->dims != tensor.dims) continue;
    for (int c = 0; c <= out.header.slots; ++c) {
      copy_numbers(kernels, old->count, from.copy(c).data() + old->offset,
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
template Net<float> regroup(const kern::Kernels<float>&, const Net<float>&, const ModelSpec&,
                            const UnitMap&, float*);
template Net<double> regroup(const kern::Kernels<double>&, const Net<double>&, const ModelSpec&,
                             const UnitMap&, double*);
template void regroup_tensor(const ReshapeContext<float>&, const ParamLayout&,
                             std::span<const float>, const UnitMap&, std::pair<int, std::size_t>,
                             Net<float>&);
template void regroup_tensor(const ReshapeContext<double>&, const ParamLayout&,
                             std::span<const double>, const UnitMap&, std::pair<int, std::size_t>,
                             Net<double>&);
template Net<float> transplant(const kern::Kernels<float>&, const Net<float>&, const ModelSpec&,
                               float*);
template Net<double> transplant(const kern::Kernels<double>&, const Net<double>&, const ModelSpec&,
                                double*);

}  // namespace nn
