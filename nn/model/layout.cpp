#include "nn/model/layout.h"

#include <algorithm>

#include "nn/layers/layer.h"
#include "nn/model/wiring.h"

namespace nn {
namespace {

constexpr double kMaxWeights = 0x1p36;  // keeps every offset and byte count far from overflow

std::size_t aligned(std::size_t count) {
  return (count + kAlignElements - 1) / kAlignElements * kAlignElements;
}

void place(ParamLayout& layout) {
  for (const bool now : {true, false}) {
    for (ParamTensor& tensor : layout.tensors) {
      if (trained(tensor.role) != now) continue;
      tensor.offset = layout.count;
      layout.count += aligned(tensor.count);
    }
    if (now) layout.trained = layout.count;
  }
}

}  // namespace

const ParamTensor* ParamLayout::find(std::string_view name) const {
  const auto it = std::ranges::find(tensors, name, &ParamTensor::name);
  return it == tensors.end() ? nullptr : &*it;
}

ParamLayout param_layout(const ModelSpec& spec) {
  const auto [flows, skips, ties] = wire(spec);
  ParamLayout layout;
  double total = 0;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    for (ParamTensor& tensor : layer_of(spec.layers[i].kind).params(spec.layers[i], flows[i])) {
      double elements = 1;
      for (const auto d : tensor.dims) elements *= d;
      total += elements;
      if (total > kMaxWeights) {
        throw SpecError(static_cast<int>(i), "",
                        "layer " + spec.layers[i].name + ": the network has too many weights");
      }
      tensor.layer = static_cast<std::int32_t>(i);
      tensor.count = static_cast<std::size_t>(elements);
      for (AxisRole& role : tensor.axes) role = ties.resolve(role);
      layout.tensors.push_back(std::move(tensor));
    }
  }
  place(layout);
  return layout;
}

std::vector<UnitGroup> unit_groups(const ModelSpec& spec) {
  const auto [flows, skips, ties] = wire(spec);
  std::vector<UnitGroup> groups;
  const auto group_of = [&](const AxisRole& role) -> UnitGroup& {
    auto it = std::ranges::find(groups, role.group, &UnitGroup::name);
    if (it == groups.end()) it = groups.insert(it, {.name = role.group, .units = role.units});
    return *it;
  };
  group_of(flows.front().units).fixed = true;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const AxisRole own = layer_of(spec.layers[i].kind).flow(spec.layers[i], flows[i]).units;
    if (own.group != spec.layers[i].name) continue;
    UnitGroup& group = group_of(flows[i + 1].units);
    group.layers.push_back(own.group);
    group.fixed = group.fixed || own.units != group.units;
  }
  const ParamLayout layout = param_layout(spec);
  for (std::size_t t = 0; t < layout.tensors.size(); ++t) {
    const ParamTensor& tensor = layout.tensors[t];
    for (std::size_t a = 0; a < tensor.axes.size(); ++a) {
      const AxisRole& role = tensor.axes[a];
      if (role.group.empty()) continue;
      group_of(role).axes.push_back(
          {static_cast<std::int32_t>(t), static_cast<std::int32_t>(a), role.repeat});
    }
  }
  return groups;
}

}  // namespace nn
