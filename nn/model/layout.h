#pragma once
// Where every parameter of a spec lies in a slab, and which axes of which tensors belong to which
// units.
//
// A *unit* is an output feature of a dense layer or an output channel of a convolution (or an input
// feature or channel of the data: group "input"). A *unit group* is all units of one layer, called
// by the layer's name, or of several layers whose outputs a residual block adds, called by the name
// of the first of them ("input" where the data itself is added). Each axis of a tensor says which
// group runs along it, so that growing, shrinking or pruning a layer is one gather over the axes of
// its group, applied alike to weights and optimizer slots.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "nn/model/spec.h"

namespace nn {

/// What runs along one axis. length = repeat * units, the unit fastest: index = position * units +
/// unit. `repeat` is larger than 1 where an image was flattened (one position a pixel). An empty
/// group: an axis without units (a kernel position), units = length.
struct AxisRole {
  std::string group{};
  std::int32_t units = 0;
  std::int32_t repeat = 1;
};

/// What a tensor is to its layer. `mean` and `variance` are state: running statistics that training
/// keeps beside the optimizer. Random streams hang on the numbers, so a new role goes to the end.
enum class ParamRole : std::uint8_t { weight, bias, scale, shift, mean, variance };

/// Whether a gradient step changes tensors of this role.
[[nodiscard]] constexpr bool trained(ParamRole role) { return role < ParamRole::mean; }

/// How fresh values are drawn; see init.h.
enum class InitRule : std::uint8_t { zeros, he, glorot, ones };

/// One parameter tensor, row-major.
struct ParamTensor {
  std::string name;        ///< "<layer>.weight", "<layer>.bias", ...: the name in a checkpoint
  std::int32_t layer = 0;  ///< index into ModelSpec::layers
  ParamRole role = ParamRole::weight;
  std::vector<std::int32_t> dims;
  std::vector<AxisRole> axes;  ///< one an axis of dims
  std::int32_t out_axis = 0;   ///< the axis of the layer's own units
  InitRule init = InitRule::zeros;
  std::int64_t fan_in = 0;   ///< inputs that meet in one unit; 0 for all but weights
  std::int64_t fan_out = 0;  ///< as Glorot & Bengio count it; 0 for all but weights
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
  std::vector<GroupAxis> axes{};
  /// The layers whose units these are, first to last; their numbers of units change together. None:
  /// the units are the data's own.
  std::vector<std::string> layers{};
  /// The number of units cannot change: they are tied to the data's own, or one unit of the group
  /// is several of a layer's (a dense layer added to a flattened image).
  bool fixed = false;
};

/// Tensors start at multiples of this many elements (64 bytes of float); the gaps are zero and stay
/// zero.
inline constexpr std::size_t kAlignElements = 16;

/// Elements of a slab that one part of an optimizer's step changes on a core, about: a part fits
/// its own cache with the gradients of several shards and the slots, and is a multiple of
/// kAlignElements.
inline constexpr std::size_t kUpdatePart = 8192;

/// What is trained comes first, so that an optimizer is one pass over `trained` elements; state
/// lies behind it. Optimizer slots have the same layout, and hold zeros where state is.
struct ParamLayout {
  std::vector<ParamTensor> tensors;  ///< in layer order, as the kinds declare them
  std::size_t trained = 0;  ///< elements that an optimizer changes, gaps included; a multiple of
                            ///< kAlignElements
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
