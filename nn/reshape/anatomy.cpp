#include "nn/reshape/anatomy.h"

#include <algorithm>
#include <utility>

#include "nn/error.h"
#include "nn/layers/layer.h"
#include "nn/registry.h"

namespace nn {
namespace {

bool has_units(const LayerSpec& layer) { return layer_kind(layer.kind).field("units") != nullptr; }

/// The first layer that holds the units of the group and why, "ln normalises across its units", or
/// empty.
std::string holder_of(const ModelSpec& spec, const std::vector<Flow>& flows,
                      const std::string& group) {
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    const std::string why = layer_of(layer.kind).holds_units(layer);
    const bool touches = flows[i].units.group == group || flows[i + 1].units.group == group;
    if (!why.empty() && touches) return layer.name + " " + why;
  }
  return "";
}

UnitGroup find_group(const ModelSpec& spec, const std::string& name) {
  for (UnitGroup& group : unit_groups(spec)) {
    if (group.name == name) return std::move(group);
  }
  throw SpecError(-1, "layer", "no layer has the units of " + name);
}

std::vector<GroupAxis> axes_of(const ModelSpec& spec, const std::string& group, bool own) {
  const ParamLayout layout = param_layout(spec);
  std::vector<GroupAxis> out;
  for (const GroupAxis& axis : find_group(spec, group).axes) {
    const ParamTensor& tensor = layout.tensors[static_cast<std::size_t>(axis.tensor)];
    if ((axis.axis == tensor.out_axis) == own) out.push_back(axis);
  }
  return out;
}

}  // namespace

std::size_t find_layer(const ModelSpec& spec, const std::string& name) {
  const auto it = std::ranges::find(spec.layers, name, &LayerSpec::name);
  if (it != spec.layers.end()) return static_cast<std::size_t>(it - spec.layers.begin());
  std::vector<std::string> known;
  for (const LayerSpec& layer : spec.layers) known.push_back(layer.name);
  throw SpecError(-1, "layer",
                  "no layer is called \"" + name + "\"; " + near_or_known(name, known));
}

std::string group_after(const ModelSpec& spec, std::size_t index) {
  return infer_flows(spec)[index + 1].units.group;
}

std::string resizable_group(const ModelSpec& spec, const std::string& name) {
  const std::size_t index = find_layer(spec, name);
  const auto flows = infer_flows(spec);
  const std::string group = flows[index + 1].units.group;
  const auto fail = [](const std::string& why) { throw SpecError(-1, "layer", why); };
  if (!has_units(spec.layers[index])) {
    fail("a " + spec.layers[index].kind + " layer has no units of its own" +
         (group == "input" ? "" : "; its units are those of " + group));
  }
  if (group == flows.back().units.group) fail("its units are the network's outputs");
  if (find_group(spec, group).fixed) {
    fail(group == "input" ? "its units are tied to the input's by a residual sum"
                          : "its units are tied to the pixels of a flattened image");
  }
  const std::string holder = holder_of(spec, flows, group);
  if (!holder.empty()) fail("the layer " + holder + ", so none may come or go");
  return group;
}

std::int32_t units_of(const ModelSpec& spec, const std::string& group) {
  return find_group(spec, group).units;
}

ModelSpec resized(const ModelSpec& spec, const std::string& group, std::int64_t units) {
  if (units < 1) {
    throw SpecError(-1, "",
                    "at least 1 unit must be left of " + std::to_string(units_of(spec, group)) +
                        ", not " + std::to_string(units));
  }
  ModelSpec out = spec;
  for (const std::string& layer : find_group(spec, group).layers) {
    out.layers[find_layer(spec, layer)].fields["units"] = units;
  }
  return complete(out);
}

std::vector<GroupAxis> readers(const ModelSpec& spec, const std::string& group) {
  return axes_of(spec, group, false);
}

std::vector<GroupAxis> makers(const ModelSpec& spec, const std::string& group) {
  return axes_of(spec, group, true);
}

}  // namespace nn
