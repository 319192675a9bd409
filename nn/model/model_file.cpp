#include "nn/model/model_file.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/error.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "nn/data/data_error.h"
#include "nn/data/preprocessing.h"
#include "nn/fields_json.h"
#include "nn/model/layout.h"
#include "nn/optimizers/optimizer.h"

namespace nn {

namespace {

using base::Json;
using base::JsonWriter;

// A spec is a list of layers of plain fields; deeper texts are not specs.
constexpr int kSpecDepth = 4;
constexpr const char* kSpecForm = "spec: expected an object with input and layers";
constexpr std::size_t kMaxLayers = 10000;
constexpr std::size_t kNameShown = 80;

FieldValue field_value(const std::string& name, const Json& value) {
  if (const auto truth = value.as_bool()) return *truth;
  if (const auto number = value.as_integer()) return *number;
  if (value.as_unsigned())
    throw base::Error(base::Errc::data, "spec: the field \"" + base::printable(name, kNameShown) +
                                            "\" is " + std::string(value.raw()) +
                                            ", a number beyond 2^63");
  if (const auto number = value.as_number()) return *number;
  if (auto text = value.as_text()) return std::move(*text);
  const auto is_number = [](const auto& member) { return member.second.is_number(); };
  if (value.is_object() && std::ranges::all_of(value.members(), is_number)) {
    NumberByName numbers;
    for (const auto& [key, number] : value.members()) numbers[key] = number.number();
    return numbers;
  }
  throw base::Error(base::Errc::data, "spec: the field \"" + base::printable(name, kNameShown) +
                                          "\" is neither a number nor a word");
}

LayerSpec layer_value(const Json& entry) {
  if (!entry.is_object()) throw base::Error(base::Errc::data, "spec: a layer is not an object");
  LayerSpec out;
  for (const auto& [name, value] : entry.members()) {
    if (name != "kind" && name != "name") {
      out.fields[name] = field_value(name, value);
      continue;
    }
    if (!value.is_text())
      throw base::Error(base::Errc::data, "spec: a layer's " + name + " is not a string");
    (name == "kind" ? out.kind : out.name) = value.text();
  }
  return out;
}

Shape input_value(const Json& dims) {
  Shape out;
  if (!dims.is_list() || dims.members().size() > 3)
    throw base::Error(base::Errc::data, "spec: input: expected 1 or 3 dimensions");
  for (const auto& [none, dim] : dims.members()) {
    const auto size = dim.as_unsigned();
    if (!size || *size > INT32_MAX)
      throw base::Error(base::Errc::data, "spec: input: a dimension is not a whole number");
    out.dims.push_back(static_cast<std::int32_t>(*size));
  }
  return out;
}

std::vector<std::int64_t> shape_of(const ParamTensor& tensor) {
  return {tensor.dims.begin(), tensor.dims.end()};
}

const std::string& text_of(const TensorMetadata& metadata, const std::string& path,
                           const std::string& name) {
  const auto at = metadata.find(name);
  if (at == metadata.end())
    throw base::Error(base::Errc::data,
                      path + ": this is not a model of Trellis: it has no \"" + name + "\"");
  return at->second;
}

constexpr std::string_view kUnits = "trellis.units", kState = "trellis.state";

std::string described(std::string_view dtype, std::span<const std::int64_t> shape) {
  std::string text;
  for (const std::int64_t size : shape) text += base::cat(text.empty() ? "" : ", ", size);
  return base::cat(dtype, " [", text, "]");
}

[[noreturn]] void refuse_tensor(const std::string& path, std::string_view name,
                                const TensorEntry* found, std::string_view dtype,
                                std::span<const std::int64_t> shape) {
  throw base::Error(
      base::Errc::data,
      base::cat(path, ": tensor ", in_quotes(name), " ",
                found == nullptr ? "is missing" : "is " + described(found->dtype, found->shape),
                ", expected ", described(dtype, shape)));
}

std::string slot_name(int i) { return "trellis.optimizer." + std::to_string(i); }

/// Of the optimizer whose state the file has.
int slots_in(const Safetensors& file) {
  int slots = 0;
  while (file.find(slot_name(slots)) != nullptr) ++slots;
  return slots;
}

void check_tensors(const Safetensors& file, const ParamLayout& layout, const std::string& path) {
  const int slots = slots_in(file);
  const std::size_t expected = layout.tensors.size() + (file.find(kUnits) != nullptr ? 1 : 0) +
                               (slots > 0 ? 1 + static_cast<std::size_t>(slots) : 0);
  if (file.tensors.size() != expected) {
    throw base::Error(base::Errc::data, path + ": the file has " +
                                            std::to_string(file.tensors.size()) +
                                            " tensors, expected " + std::to_string(expected));
  }
  for (const ParamTensor& tensor : layout.tensors) {
    const TensorEntry* entry = file.find(tensor.name);
    if (entry == nullptr)
      throw base::Error(base::Errc::data,
                        path + ": the file has no tensor \"" + tensor.name + "\"");
    if (entry->dtype != "F32" || entry->shape != shape_of(tensor)) {
      refuse_tensor(path, tensor.name, entry, "F32", shape_of(tensor));
    }
  }
}

/// The optimizer's slots, of which there are some, and how far it got.
void read_optimizer(const Safetensors& file, const std::string& path, ParamSlab& net) {
  for (int i = 0; i < net.header().slots; ++i) {
    const TensorEntry& entry = *file.find(slot_name(i));
    const auto slot = net.slot(i);
    const std::vector<std::int64_t> shape{std::ssize(slot)};
    if (entry.dtype != "F32" || entry.shape != shape)
      refuse_tensor(path, entry.name, &entry, "F32", shape);
    std::memcpy(slot.data(), file.bytes(entry).data(), slot.size_bytes());
  }
  const TensorEntry* entry = file.find(kState);
  const std::vector<std::int64_t> shape{2};
  if (entry == nullptr || entry->dtype != "I64" || entry->shape != shape)
    refuse_tensor(path, kState, entry, "I64", shape);
  std::array<std::int64_t, 2> state{};
  std::memcpy(state.data(), file.bytes(*entry).data(), sizeof state);
  if (state[0] < 0 || state[1] < 0)
    throw base::Error(base::Errc::data,
                      base::cat(path, ": tensor ", in_quotes(kState), " has a negative count"));
  net.state() = {state[0], state[1]};
}

/// The kind whose state it is; it has as many slots.
std::string optimizer_in(const Safetensors& file, const std::string& path, int slots) {
  const std::string& kind = text_of(file.metadata, path, "optimizer");
  const Optimizer* const known = find_optimizer(kind);
  if (known == nullptr || std::ssize(known->slot_powers()) < slots)
    throw base::Error(base::Errc::data,
                      path + ": the file has the state of an optimizer that is unknown to Trellis");
  return kind;
}

ModelSpec read_spec(const TensorMetadata& metadata, const std::string& path) {
  const std::string& text = text_of(metadata, path, "spec");
  try {
    return spec_from_json(text);
  } catch (const base::Error& problem) {
    throw base::Error(base::Errc::data, path + ": " + problem.what());
  }
}

/// Steps and rows of a reshaped network, then its units as write_units writes them.
std::vector<std::int64_t> unit_numbers(const ParamSlab& net) {
  std::vector<std::int64_t> out(2 + unit_words(net.spec()));
  out[0] = net.state().steps;
  out[1] = net.state().rows;
  write_units(net.units(), std::span(out).subspan(2));
  return out;
}

void read_unit_numbers(const Safetensors& file, const std::string& path, ParamSlab& net) {
  const TensorEntry& entry = *file.find(kUnits);
  std::vector<std::int64_t> numbers(2 + unit_words(net.spec()));
  const auto bytes = file.bytes(entry);
  if (entry.dtype != "I64" || bytes.size() != numbers.size() * sizeof(std::int64_t)) {
    const std::vector<std::int64_t> shape{std::ssize(numbers)};
    refuse_tensor(path, kUnits, &entry, "I64", shape);
  }
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  UnitState units;
  try {
    units = read_units(net.spec(), std::span(numbers).subspan(2));
  } catch (const base::Error& problem) {
    throw base::Error(base::Errc::data, path + ": " + problem.what());
  }
  const auto later = [&](std::int64_t birth) { return birth > numbers[0]; };
  for (const auto& axis : units.axes) {
    if (std::ranges::any_of(axis.births, later)) {
      throw base::Error(base::Errc::data, path + ": units: a birth is after the last step");
    }
  }
  net.set_units(units);
  net.state() = {numbers[0], numbers[1]};
}

}  // namespace

std::string spec_json(const ModelSpec& spec) {
  JsonWriter json(base::JsonStyle::compact);
  json.begin_object().key("input").list(spec.input.dims).key("layers").begin_array();
  for (const LayerSpec& layer : spec.layers) {
    json.begin_object().field("kind", layer.kind).field("name", layer.name);
    put_fields(json, layer.fields);
    json.end_object();
  }
  json.end_array().end_object();
  return std::move(json).text();
}

ModelSpec spec_from_json(std::string_view text) {
  Json json;
  try {
    json = Json::parse(text, {.depth = kSpecDepth, .utf8 = true});
  } catch (const base::JsonError& error) {
    throw base::Error(base::Errc::data, error.too_deep()
                                            ? "spec: nested too deeply, expected at most 4 levels"
                                            : kSpecForm);
  }
  const Json* input = json.find("input");
  const Json* layers = json.find("layers");
  if (input == nullptr || layers == nullptr || json.members().size() != 2 || !layers->is_list() ||
      layers->members().size() > kMaxLayers)
    throw base::Error(base::Errc::data, kSpecForm);
  ModelSpec spec;
  spec.input = input_value(*input);
  for (const auto& [none, entry] : layers->members()) spec.layers.push_back(layer_value(entry));
  return complete(spec);
}

std::string choice_json(const Choice& choice) {
  JsonWriter json(base::JsonStyle::compact);
  json.begin_object().field("kind", choice.kind);
  put_fields(json, choice.fields);
  json.end_object();
  return std::move(json).text();
}

Choice choice_from_json(std::string_view text) {
  const auto json = Json::try_parse(text, {.utf8 = true});
  const Json* kind = json ? json->find("kind") : nullptr;
  if (kind == nullptr || !kind->is_text())
    throw base::Error(base::Errc::data, "expected an object with a kind");
  Choice choice{kind->text(), {}};
  for (const auto& [name, value] : json->members()) {
    if (name != "kind") choice.fields[name] = field_value(name, value);
  }
  return choice;
}

void write_model(const std::string& path, const ParamSlab& net, const Dataset& data,
                 const TensorMetadata& more, bool with_optimizer) {
  TensorMetadata metadata{{"format", "trellis"},
                          {"version", std::string(kModelVersion)},
                          {"spec", spec_json(net.spec())},
                          {"preprocessing", preprocessing_json(data)}};
  const int slots = with_optimizer ? net.header().slots : 0;
  if (slots > 0) metadata.emplace("optimizer", net.header().optimizer);
  for (const auto& [name, text] : more) {
    if (!metadata.emplace(name, text).second)
      throw base::Error(base::Errc::internal, "model: the name " + name + " is taken");
  }
  std::vector<TensorBytes> tensors;
  for (const ParamTensor& tensor : param_layout(net.spec()).tensors) {
    const auto values = net.weights().subspan(tensor.offset, tensor.count);
    tensors.push_back({tensor.name, "F32", shape_of(tensor), std::as_bytes(values)});
  }
  std::vector<std::int64_t> units;
  if (net.header().reshaped) {
    units = unit_numbers(net);
    tensors.push_back(
        {std::string(kUnits), "I64", {std::ssize(units)}, std::as_bytes(std::span(units))});
  }
  const std::array<std::int64_t, 2> state{net.state().steps, net.state().rows};
  if (slots > 0)
    tensors.push_back({std::string(kState), "I64", {2}, std::as_bytes(std::span(state))});
  for (int i = 0; i < slots; ++i) {
    const auto slot = net.slot(i);
    tensors.push_back({slot_name(i), "F32", {std::ssize(slot)}, std::as_bytes(slot)});
  }
  write_safetensors(path, tensors, metadata);
}

base::Key model_content(const std::string& path) {
  Safetensors file = read_safetensors(path);
  for (const std::string_view text : {kVerdictText, kCalibrationText})
    file.metadata.erase(std::string(text));
  std::vector<TensorBytes> tensors;
  for (const TensorEntry& entry : file.tensors)
    tensors.push_back({entry.name, entry.dtype, entry.shape, file.bytes(entry)});
  return base::hash_bytes(safetensors_bytes(tensors, file.metadata));
}

Model read_model(const std::string& path, bool with_optimizer) {
  Safetensors file = read_safetensors(path);
  if (text_of(file.metadata, path, "format") != "trellis") {
    throw base::Error(base::Errc::data, path + ": this is not a model of Trellis");
  }
  if (text_of(file.metadata, path, "version") != kModelVersion) {
    throw base::Error(base::Errc::data, path + ": the file has version " +
                                            in_quotes(file.metadata.at("version")) + ", expected " +
                                            std::string(kModelVersion));
  }
  const ModelSpec spec = read_spec(file.metadata, path);
  const ParamLayout layout = param_layout(spec);
  check_tensors(file, layout, path);
  const bool reshaped = file.find(kUnits) != nullptr;
  const int slots = with_optimizer ? slots_in(file) : 0;
  const std::string optimizer = slots > 0 ? optimizer_in(file, path, slots) : "";
  ParamSlab net(ParamSlab::Header{spec, optimizer, slots, reshaped});
  if (reshaped) read_unit_numbers(file, path, net);
  if (slots > 0) read_optimizer(file, path, net);
  for (const ParamTensor& tensor : layout.tensors) {
    const auto bytes = file.bytes(*file.find(tensor.name));
    std::memcpy(net.weights().data() + tensor.offset, bytes.data(), bytes.size());
  }
  return {std::move(net), std::move(file.metadata)};
}

}  // namespace nn
