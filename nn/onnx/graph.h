#pragma once
// The messages of an ONNX file (onnx.proto of IR version 8), one node after another.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/protobuf.h"

namespace nn::onnx {

/// Attributes of a node.
using Attribute = std::variant<std::int64_t, float, std::vector<std::int64_t>>;
using Attributes = std::vector<std::pair<std::string, Attribute>>;

/// Sizes of a tensor; 0 stands for the rows, of which there may be any number.
using Dims = std::vector<std::int64_t>;

/// Of the elements of a tensor, as TensorProto.DataType numbers them.
enum class Type : std::int64_t { float32 = 1, int64 = 7, float64 = 11 };

class Graph {
 public:
  /// Declares a tensor that goes in, or one that comes out.
  void input(const std::string& name, const Dims& dims, Type type = Type::float32) {
    declare(11, name, dims, type);
  }
  void output(const std::string& name, const Dims& dims, Type type = Type::float32) {
    declare(12, name, dims, type);
  }

  /// A constant. Returns its name.
  std::string constant(const std::string& name, const Dims& dims, std::span<const float> values) {
    return constant(name, dims, std::as_bytes(values), Type::float32);
  }
  std::string constant(const std::string& name, const Dims& dims, std::span<const double> values) {
    return constant(name, dims, std::as_bytes(values), Type::float64);
  }

  /// An operation; its result is called `name`, which is returned.
  std::string node(std::string_view operation, const std::vector<std::string>& inputs,
                   const std::string& name, const Attributes& attributes = {});

  /// The whole file; `metadata` are texts that travel with it.
  [[nodiscard]] std::string file(const std::map<std::string, std::string>& metadata) const;

 private:
  void declare(int field, const std::string& name, const Dims& dims, Type type);
  std::string constant(const std::string& name, const Dims& dims, std::span<const std::byte> values,
                       Type type);

  base::ProtoMessage graph_;
};

/// What this writes: the operation set and the version of the format.
inline constexpr std::int64_t kOpset = 17;
inline constexpr std::int64_t kIrVersion = 8;

}  // namespace nn::onnx
