#include "nn/model/spec.h"

#include <algorithm>
#include <map>

#include "base/ascii.h"
#include "nn/layers/layer.h"
#include "nn/model/layer_flops.h"
#include "nn/model/layout.h"
#include "nn/model/wiring.h"

namespace nn {
namespace {

void check_name(const std::string& name, int index, const std::map<std::string, int>& taken) {
  const auto good = [](char c) { return base::is_letter_or_digit(c) || c == '_' || c == '-'; };
  const std::string prefix = "layer " + std::to_string(index + 1) + ": ";
  if (!std::ranges::all_of(name, good)) {
    throw SpecError(index, "name",
                    prefix + "name \"" + name + "\" may hold only letters, digits, _ and -");
  }
  if (name == "input") {
    throw SpecError(index, "name", prefix + "the name \"input\" is reserved for the data");
  }
  if (const auto first = taken.find(name); first != taken.end()) {
    throw SpecError(index, "name",
                    prefix + "the name \"" + name + "\" is already used by layer " +
                        std::to_string(first->second + 1) + "; layer names must be unique");
  }
}

/// The name of a layer that has none: its kind with the ordinal among the layers of that kind; the
/// two ends of a residual block share theirs.
std::string default_name(const Layer& kind, int ordinal, const std::vector<std::string>& open) {
  const std::string number = std::to_string(ordinal);
  switch (kind.branch()) {
    case Branch::opens:
      return "residual" + number;
    case Branch::closes:
      if (!open.empty()) return open.back() + "_end";
      [[fallthrough]];
    case Branch::none:
      return kind.info().kind + number;
  }
  return "";
}

}  // namespace

LayerSpec layer(std::string_view kind, std::string_view name, const Fields& fields) {
  LayerSpec out{std::string(kind), std::string(name), {}};
  out.fields = complete(layer_kind(kind), fields, name.empty() ? kind : std::string_view(out.name));
  return out;
}

ModelSpec complete(const ModelSpec& spec) {
  ModelSpec out{spec.input, {}};
  std::map<std::string, int> ordinals;
  std::map<std::string, int> names;  // and the layer that has each
  std::vector<std::string> open;     // residual blocks
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    LayerSpec layer = spec.layers[i];
    const int index = static_cast<int>(i);
    const Layer* kind = nullptr;
    try {
      kind = &layer_of(layer.kind);
    } catch (const SpecError& e) {
      throw SpecError(index, "", "layer " + std::to_string(index + 1) + ": " + e.what());
    }
    layer.fields = complete(kind->info(), layer.fields, place(layer, index), index);
    const int ordinal = ++ordinals[layer.kind];
    if (layer.name.empty()) layer.name = default_name(*kind, ordinal, open);
    check_name(layer.name, index, names);
    if (kind->branch() == Branch::opens) open.push_back(layer.name);
    if (kind->branch() == Branch::closes && !open.empty()) open.pop_back();
    names.emplace(layer.name, index);
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

std::vector<Flops> flops_by_layer(const ModelSpec& spec) {
  const auto flows = infer_flows(spec);
  std::vector<Flops> layers;
  bool weights_before = false;
  for (std::size_t i = 0; i < spec.layers.size(); ++i) {
    const Layer& entry = layer_of(spec.layers[i].kind);
    const std::uint64_t forward = entry.flops(spec.layers[i], flows[i]);
    const bool has_weights = !entry.params(spec.layers[i], flows[i]).empty();
    layers.push_back(
        {.forward = forward,
         .training = forward * (1 + (has_weights ? 1 : 0) + (weights_before ? 1 : 0))});
    weights_before = weights_before || has_weights;
  }
  return layers;
}

Flops flops_per_row(const ModelSpec& spec) {
  Flops total;
  for (const Flops& layer : flops_by_layer(spec)) {
    total.forward += layer.forward;
    total.training += layer.training;
  }
  return total;
}

std::uint64_t weight_count(const ModelSpec& spec) {
  std::uint64_t count = 0;
  for (const auto& tensor : param_layout(spec).tensors) {
    if (trained(tensor.role)) count += tensor.count;
  }
  return count;
}

std::string describe(const ModelSpec& spec) {
  std::string out = spec.input.text();
  std::string arrow = " -> ";
  for (const auto& layer : spec.layers) {
    const Layer& kind = layer_of(layer.kind);
    if (kind.branch() == Branch::opens) {
      out += arrow + layer.name + " [";
      arrow = "";
      continue;
    }
    const bool closes = kind.branch() == Branch::closes;
    out += closes ? "] + input" : arrow + layer.kind + " " + layer.name;
    arrow = " -> ";
    for (const auto& field : kind.info().fields) {
      const auto it = layer.fields.find(field.name);
      if (it == layer.fields.end()) continue;
      if (field.quiet) {
        if (it->second != field.value) out += " " + field.name + " " + to_text(it->second);
        continue;
      }
      if (!closes || to_text(it->second) != "none") out += " " + to_text(it->second);
    }
  }
  return out;
}

}  // namespace nn
