#pragma once
// Up to which size our own code computes the gradient of a layer's weights: a table for each
// instruction set, which `trellis bench gemm` prints for the one in use. Nothing is measured at
// start, because noise must not change bits.

#include <array>
#include <cstdint>

#include "kernels/cpu/machine.h"

namespace kern::cpu {

/// Rows of a batch up to which an entry holds; the last one holds beyond, too.
inline constexpr std::array kThresholdRows{16, 32, 64, 128};

/// Weights up to which our own code multiplies A^T B for a batch of `rows` rows: at least those of
/// the largest layer that is trained by slices (nn/layers/dense.cpp), whose bits must be those of
/// the whole. The products whose rows are rows of a batch have no threshold: a library's sums
/// depend on how many rows there are.
[[nodiscard]] std::int64_t own_threshold(Isa isa, int rows);

}  // namespace kern::cpu
