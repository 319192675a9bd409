#pragma once
// Counted arithmetic by layer.

#include <vector>

#include "nn/model/spec.h"

namespace nn {

/// Returns what flops_per_row() adds up: the FLOPs of each layer.
[[nodiscard]] std::vector<Flops> flops_by_layer(const ModelSpec& spec);

}  // namespace nn
