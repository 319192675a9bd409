#pragma once
// Where every parameter of a spec lies in a slab, and which axes of which tensors belong to which
// units.
//
// A *unit* is an output feature of a dense layer or an output channel of a convolution (or an input
// feature or channel of the data: group "input"). A *unit group* is all units of one layer, called
// by the layer's name. Each axis of a tensor says which group runs along it, so that growing,
// shrinking or pruning a layer is one gather over the axes of its group, applied alike to weights
// and optimizer slots.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/spec.h"

namespace nn {

/// What runs along one axis. length = repeat * units, the unit fastest: index = position * units +
/// unit. `repeat` is larger than 1 where an image was flattened (one position a pixel). An empty
/// group: an axis without units (a kernel position), units = length.
struct AxisRole {
  std::string group{};
  std::int32_t units = 0;
  std::int32_t repeat = 1;
};

enum class ParamRole : std::uint8_t { weight, bias };

/// How fresh values are drawn; see init.h.
enum class InitRule : std::uint8_t { zeros, he, glorot };

/// One parameter tensor, row-major.
struct ParamTensor {
  std::string name;        ///< "<layer>.weight", "<layer>.bias": the name in a checkpoint
  std::int32_t layer = 0;  ///< index into ModelSpec::layers
  ParamRole role = ParamRole::weight;
  std::vector<std::int32_t> dims;
  std::vector<AxisRole> axes;  ///< one an axis of dims
  std::int32_t out_axis = 0;   ///< the axis of the layer's own units
  InitRule init = InitRule::zeros;
  std::int64_t fan_in = 0;   ///< inputs that meet in one unit; 0 for biases
  std::int64_t fan_out = 0;  ///< as Glorot & Bengio count it; 0 for biases
  std::size_t offset =
      0;  ///< in elements from the start of the weights; a multiple of kAlignElements
  std::size_t count = 0;  ///< elements, padding not included
};

/// One axis that belongs to a group.
struct GroupAxis {
  std::int32_t tensor = 0;  ///< index into ParamLayout::tensors
  std::int32_t axis = 0;
  std::int32_t repeat = 1;
};

struct UnitGroup {
  std::string name;
  std::int32_t units = 0;
  std::vector<GroupAxis> axes;
};

/// Tensors start at multiples of this many elements (64 bytes of float); the gaps are zero and stay
/// zero.
inline constexpr std::size_t kAlignElements = 16;

struct ParamLayout {
  std::vector<ParamTensor> tensors;
  std::size_t count =
      0;  ///< elements of one copy of the weights, gaps included; a multiple of kAlignElements

  /// The tensor called `name`, or null.
  [[nodiscard]] const ParamTensor* find(std::string_view name) const;
};

/// The one place that decides where parameters lie. Throws SpecError as infer_shapes does.
[[nodiscard]] ParamLayout param_layout(const ModelSpec& spec);

/// The groups of a spec, "input" first, then one a layer that has units, in layer order.
[[nodiscard]] std::vector<UnitGroup> unit_groups(const ModelSpec& spec);

}  // namespace nn
