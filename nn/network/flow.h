#pragma once
// What runs between the layers of a network.

#include <vector>

#include "nn/model/layout.h"
#include "nn/model/spec.h"

namespace nn {

/// What runs between two layers: the shape of a row and the units along its last axis (the features
/// of a vector, the channels of an image).
struct Flow {
  Shape shape;
  AxisRole units;
};

/// What enters the first layer, then what leaves each layer, of a spec with complete fields. Throws
/// SpecError at the first layer that does not fit.
[[nodiscard]] std::vector<Flow> infer_flows(const ModelSpec& spec);

}  // namespace nn
