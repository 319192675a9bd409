#pragma once
// Running a reshape operation: a new network from an old one.

#include <cstdint>

#include "kernels/kernels.h"
#include "nn/data_view.h"
#include "nn/reshape/operation.h"
#include "nn/slab.h"
#include "nn/workspace.h"

namespace nn {

/// Most rows that an operation looks at.
inline constexpr std::int64_t kCalibrationRows = 5000;

/// `from` after `operation`: weights, optimizer slots, step and row counts, unit ids and births.
/// What each kind preserves is in its header. `training` is the training part; at most
/// kCalibrationRows of its rows are looked at, chosen by the number of rows alone, and none unless
/// needs_data(operation). Fresh weights are drawn by (seed, layer, unit id, input unit's id).
/// A function of the arguments alone. Throws SpecError as `reshaped` does, Error for data that does
/// not fit the network.
[[nodiscard]] ParamSlab reshape(const kern::Kernels<float>& kernels, Workspace& workspace,
                                const ParamSlab& from, const Operation& operation,
                                const DataView& training, std::uint64_t seed);

}  // namespace nn
