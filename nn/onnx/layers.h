#pragma once
// How a layer is said in ONNX's operations.

#include <string>
#include <string_view>
#include <vector>

#include "nn/model/layout.h"
#include "nn/model/slab.h"
#include "nn/network/flow.h"
#include "nn/onnx/graph.h"

namespace nn::onnx {

/// A network on its way into a graph. Images are [rows, height, width, channels] between layers,
/// as in the slab.
struct Translation {
  Graph& graph;
  const ParamSlab& net;
  const ParamLayout& layout;
  std::string x;                     ///< what enters the next layer
  std::vector<std::string> skips{};  ///< what entered the residual blocks that are open

  /// A tensor of weights as it lies in the slab.
  [[nodiscard]] std::span<const float> weights(const std::string& name) const;
};

/// Adds one layer; `x` is what leaves it then. Throws base::Error (data) naming a kind
/// that has no translation.
void add_layer(Translation& translation, const LayerSpec& layer, const Flow& in, const Flow& out);

}  // namespace nn::onnx
