#pragma once
// Fresh weights. Every number is a function of (seed, layer name, unit id, input unit's id,
// position), never of a width, so a unit starts with the same draws whatever the number of units
// beside it or before it.

#include <cstdint>
#include <span>
#include <string_view>

#include "nn/model/slab.h"
#include "nn/training/parallel.h"

namespace nn {

/// Fills weights with fresh values, slots and state with zeros. Biases are 0. Weights are uniform
/// in (-a, a):
///  - he (layers with relu): a = sqrt(6 / fan_in) (He et al. 2015, eq. 10, as a uniform
///  distribution);
///  - glorot (all others): a = sqrt(6 / (fan_in + fan_out)) (Glorot & Bengio 2010, eq. 16).
/// The scales and running variances of a normalisation are 1, its shifts and running means 0.
/// So a unit's weights depend on widths through the factor `a` alone. Uniform rather than normal:
/// it needs only multiplication and square root, which are exact everywhere. Large networks are
/// filled in parts, wherever `parallel` runs them (null: here).
void init_weights(ParamSlab& slab, std::uint64_t seed, Parallel* parallel = nullptr);

/// Draws for one unit of one tensor, for reshape operations: the unit with the id `unit`, whose
/// inputs have the ids `inputs` (one a unit of the tensor's input axis; empty: 0, 1, ...). `out`
/// gets the tensor's slice of that unit in row-major order of the remaining axes.
void init_unit(const ParamTensor& tensor, std::string_view layer, std::uint64_t seed,
               std::int64_t unit, std::span<const std::int64_t> inputs, std::span<float> out);

}  // namespace nn
