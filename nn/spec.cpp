#include "nn/spec.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "nn/layers/layer.h"
#include "nn/layout.h"

namespace nn {
namespace {

constexpr std::int64_t kMaxElements = std::numeric_limits<std::int32_t>::max();

/// `layer 2 "fc1" (dense)`, counting from 1 as people do.
std::string place(const LayerSpec& layer, int index) {
  const std::string name = layer.name.empty() ? "" : " \"" + layer.name + "\"";
  return "layer " + std::to_string(index + 1) + name + " (" + layer.kind + ")";
}

void check_input(const Shape& input) {
  const bool rank = input.dims.size() == 1 || input.is_image();
  if (!rank || std::ranges::any_of(input.dims, [](auto d) { return d < 1; })) {
    throw SpecError(-1, "",
                    "input: expected a number of features or height, width and channels, not \"" +
                        input.text() + "\"");
  }
}

void check_name(const std::string& name, int index, const std::set<std::string>& taken) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  const std::string prefix = "layer " + std::to_string(index + 1) + ": ";
  if (!std::ranges::all_of(name, good)) {
    throw SpecError(index, "name",
                    prefix + "name \"" + name + "\" may hold only letters, digits, _ and -");
  }
  if (name == "input") {
    throw SpecError(index, "name", prefix + "the name \"input\" stands for the data");
  }
  if (taken.contains(name)) {
    throw SpecError(index, "name", prefix + "a second layer is called \"" + name + "\"");
  }
}

Flow input_flow(const Shape& input) {
  return {input, {.group = "input", .units = input.dims.back()}};
}

}  // namespace

std::vector<Flow> infer_flows(const ModelSpec& spec) {
  check_input(spec.input);
  std::vector<Flow> flows{input_flow(spec.input)};
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const LayerSpec& layer = spec.layers[i];
    const int index = static_cast<int>(i);
    const auto fail = [&](const std::string& field, const std::string& what) {
      throw SpecError(index, field, place(layer, index) + ": " + what);
    };
    try {
      flows.push_back(layer_of(layer.kind).flow(layer, flows.back()));
    } catch (const SpecError& e) {
      fail(e.field(), e.what());
    }
    if (flows.back().shape.elements() > kMaxElements) {
      fail("", "its output of " + flows.back().shape.text() + " is too large");
    }
  }
  return flows;
}

LayerSpec layer(std::string_view kind, std::string_view name, const Fields& fields) {
  LayerSpec out{std::string(kind), std::string(name), {}};
  out.fields = complete(layer_kind(kind), fields, name.empty() ? kind : std::string_view(out.name));
  return out;
}

ModelSpec complete(const ModelSpec& spec) {
  ModelSpec out{spec.input, {}};
  std::map<std::string, int> ordinals;
  std::set<std::string> names;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    LayerSpec layer = spec.layers[i];
    const int index = static_cast<int>(i);
    const KindInfo* info = nullptr;
    try {
      info = &layer_kind(layer.kind);
    } catch (const SpecError& e) {
      throw SpecError(index, "", "layer " + std::to_string(index + 1) + ": " + e.what());
    }
    layer.fields = complete(*info, layer.fields, place(layer, index), index);
    const int ordinal = ++ordinals[layer.kind];
    if (layer.name.empty()) layer.name = layer.kind + std::to_string(ordinal);
    check_name(layer.name, index, names);
    names.insert(layer.name);
    out.layers.push_back(std::move(layer));
  }
  (void)param_layout(out);
  return out;
}

ModelSpec with_output(const ModelSpec& spec, std::int64_t outputs) {
  ModelSpec out = complete(spec);
  if (output_shape(out).is_image()) out.layers.push_back(layer("flatten", "output_flatten", {}));
  out.layers.push_back(layer("dense", "output", {{"units", outputs}, {"activation", "none"}}));
  return complete(out);
}

std::vector<Shape> infer_shapes(const ModelSpec& spec) {
  const auto flows = infer_flows(spec);
  std::vector<Shape> shapes;
  for (std::size_t i = 1; i < flows.size(); ++i) shapes.push_back(flows[i].shape);
  return shapes;
}

Shape output_shape(const ModelSpec& spec) { return infer_flows(spec).back().shape; }

Flops flops_per_row(const ModelSpec& spec) {
  const auto flows = infer_flows(spec);
  Flops total;
  bool weights_before = false;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& entry = layer_of(spec.layers[i].kind);
    const std::uint64_t forward = entry.flops(spec.layers[i], flows[i]);
    const bool has_weights = !entry.params(spec.layers[i], flows[i]).empty();
    total.forward += forward;
    total.training += forward * (1 + (has_weights ? 1 : 0) + (weights_before ? 1 : 0));
    weights_before = weights_before || has_weights;
  }
  return total;
}

std::uint64_t weight_count(const ModelSpec& spec) {
  std::uint64_t count = 0;
  for (const auto& tensor : param_layout(spec).tensors) count += tensor.count;
  return count;
}

std::string describe(const ModelSpec& spec) {
  std::string out = spec.input.text();
  for (const auto& layer : spec.layers) {
    out += " -> " + layer.kind + " " + layer.name;
    for (const auto& field : layer_kind(layer.kind).fields) {
      const auto it = layer.fields.find(field.name);
      if (it != layer.fields.end()) out += " " + to_text(it->second);
    }
  }
  return out;
}

}  // namespace nn
