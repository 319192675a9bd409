#include "nn/reshape/operation.h"

#include <algorithm>

#include "nn/reshape/anatomy.h"
#include "nn/reshape/kind.h"
#include "nn/reshape/reshape.h"

namespace nn {
namespace {

std::string title(const Operation& operation) { return operation.kind + " " + operation.layer; }

/// Runs f; what it throws gets the operation in front.
template <class F>
auto in_context(const Operation& operation, F f) {
  try {
    return f();
  } catch (const SpecError& e) {
    throw SpecError(-1, e.field(), title(operation) + ": " + e.what());
  }
}

}  // namespace

Operation complete(const Operation& operation) {
  const ReshapeKind& kind = reshape_kind_of(operation.kind);
  if (operation.layer.empty()) {
    throw SpecError(-1, "layer", operation.kind + ": expected the name of a layer");
  }
  Operation out = operation;
  out.fields = complete(kind.info(), operation.fields, title(operation));
  in_context(operation, [&] { kind.check(out); });
  return out;
}

ModelSpec reshaped(const ModelSpec& spec, const Operation& operation) {
  const Operation whole = complete(operation);
  return in_context(whole, [&] { return complete(reshape_kind_of(whole.kind).spec(spec, whole)); });
}

ModelSpec reshaped_within(const ModelSpec& spec, const Operation& operation, std::uint64_t most) {
  ModelSpec result = reshaped(spec, operation);
  const std::uint64_t weights = weight_count(result);
  if (most != 0 && weights > most) {
    throw SpecError(-1, "",
                    describe(operation) + " makes a network of " + std::to_string(weights) +
                        " weights, but limits.weights is " + std::to_string(most));
  }
  return result;
}

bool size_depends_on_data(const Operation& operation) {
  const Operation whole = complete(operation);
  return reshape_kind_of(whole.kind).size_depends_on_data(whole);
}

bool needs_data(const Operation& operation) {
  const Operation whole = complete(operation);
  return reshape_kind_of(whole.kind).needs_data(whole);
}

std::uint64_t reshape_flops(const ModelSpec& spec, const Operation& operation, std::uint64_t rows) {
  const Operation whole = complete(operation);
  const std::uint64_t used = std::min<std::uint64_t>(rows, kCalibrationRows);
  return reshape_kind_of(whole.kind).flops(spec, whole, used);
}

std::string describe(const Operation& operation) {
  const Operation whole = complete(operation);
  std::string out = title(whole);
  for (const FieldInfo& field : operation_kind(whole.kind).fields) {
    const FieldValue& value = whole.fields.at(field.name);
    if (value != field.value) out += " " + field.name + " " + to_text(value);
  }
  return out;
}

std::vector<std::string> resizable_layers(const ModelSpec& spec) {
  std::vector<std::string> out, groups;
  for (const LayerSpec& layer : spec.layers) {
    try {
      const std::string group = resizable_group(spec, layer.name);
      if (std::ranges::find(groups, group) != groups.end()) continue;
      groups.push_back(group);
      out.push_back(layer.name);
    } catch (const SpecError&) {
      continue;
    }
  }
  return out;
}

}  // namespace nn
