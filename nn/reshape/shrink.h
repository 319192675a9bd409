#pragma once
// shrink: fewer units in a layer. The units with the lowest scores go; what reads the layer is
// fitted anew by least squares on the calibration rows, so that the network computes nearly what it
// did. Kept units keep weights, optimizer slots, ids and births.

#include <vector>

#include "nn/reshape/kind.h"

namespace nn {

[[nodiscard]] const ReshapeKind& shrink_operation();

/// Which units stay when all but the `count` with the highest scores go; of equal ones the first.
[[nodiscard]] std::vector<bool> highest(const std::vector<double>& scores, std::size_t count);

/// The map that keeps the units marked.
[[nodiscard]] UnitMap keep_map(const std::string& group, const std::vector<bool>& kept);

}  // namespace nn
