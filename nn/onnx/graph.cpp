#include "nn/onnx/graph.h"

#include <bit>

namespace nn::onnx {

namespace {

static_assert(std::endian::native == std::endian::little, "raw_data is little-endian");

base::ProtoMessage attribute_of(const std::string& name, const Attribute& value) {
  constexpr std::int64_t kRealType = 1, kIntType = 2,
                         kIntsType = 7;  // AttributeProto.AttributeType
  base::ProtoMessage out;
  out.bytes(1, name);
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return out.number(3, *number).number(20, kIntType);
  if (const auto* real = std::get_if<float>(&value))
    return out.real(2, *real).number(20, kRealType);
  for (const std::int64_t number : std::get<std::vector<std::int64_t>>(value))
    out.number(8, number);
  return out.number(20, kIntsType);
}

}  // namespace

void Graph::declare(int field, const std::string& name, const Dims& dims, Type of) {
  base::ProtoMessage shape;
  for (const std::int64_t dim : dims) {
    base::ProtoMessage size;
    if (dim == 0)
      size.bytes(2, "rows");
    else
      size.number(1, dim);
    shape.message(1, size);
  }
  base::ProtoMessage tensor, type, value;
  tensor.number(1, static_cast<std::int64_t>(of)).message(2, shape);
  type.message(1, tensor);
  value.bytes(1, name).message(2, type);
  graph_.message(field, value);
}

std::string Graph::constant(const std::string& name, const Dims& dims,
                            std::span<const std::byte> values, Type type) {
  base::ProtoMessage tensor;
  for (const std::int64_t dim : dims) tensor.number(1, dim);
  tensor.number(2, static_cast<std::int64_t>(type)).bytes(8, name);
  tensor.bytes(9, {reinterpret_cast<const char*>(values.data()), values.size()});
  graph_.message(5, tensor);
  return name;
}

std::string Graph::node(std::string_view operation, const std::vector<std::string>& inputs,
                        const std::string& name, const Attributes& attributes) {
  base::ProtoMessage node;
  for (const std::string& input : inputs) node.bytes(1, input);
  node.bytes(2, name).bytes(3, name).bytes(4, operation);
  for (const auto& [key, value] : attributes) node.message(5, attribute_of(key, value));
  graph_.message(1, node);
  return name;
}

std::string Graph::file(const std::map<std::string, std::string>& metadata) const {
  base::ProtoMessage opset, graph = graph_, model;
  opset.number(2, kOpset);
  graph.bytes(2, "network");
  model.number(1, kIrVersion).bytes(2, "trellis").message(7, graph).message(8, opset);
  for (const auto& [key, text] : metadata) {
    base::ProtoMessage entry;
    model.message(14, entry.bytes(1, key).bytes(2, text));
  }
  return model.text();
}

}  // namespace nn::onnx
