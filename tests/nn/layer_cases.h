#pragma once
// The examples of the kinds of layers, as tests of nn/ build networks around them.

#include <vector>

#include "nn/layers/layer.h"

namespace nn_test {

/// An example of a kind with the layers that it needs around it.
inline std::vector<nn::LayerSpec> with_context(const nn::LayerExample& example,
                                               const nn::LayerSpec& layer) {
  std::vector<nn::LayerSpec> layers = example.before;
  layers.push_back(layer);
  layers.insert(layers.end(), example.after.begin(), example.after.end());
  return layers;
}

}  // namespace nn_test
