#pragma once
// Up to which size our own code multiplies: a table for each instruction set, which
// `trellis bench gemm` prints for the one in use. Nothing is measured at start, because noise must
// not change bits.

#include <array>
#include <cstdint>

#include "kernels/cpu/machine.h"
#include "kernels/kernels.h"

namespace kern::cpu {

/// The products of a dense layer: forward, gradient of the weights, gradient of the input.
enum class Product { ab, atb, abt };
inline constexpr int kProducts = 3;

/// Rows of a batch up to which an entry holds; the last one holds beyond, too.
inline constexpr std::array kBorderRows{16, 32, 64, 128};

/// What a shape means in a dense layer.
struct LayerShape {
  Product product = Product::ab;
  int rows = 0;  ///< of the batch
  std::int64_t weights =
      0;  ///< floats of the operand (of A^T B: of the result) that is not a batch
};

[[nodiscard]] LayerShape layer_shape(const GemmArgs<float>& g);

/// Weights up to which our own code multiplies. Of A^T B at least those of the largest layer that
/// is trained by slices (nn/layers/dense.cpp), whose bits must be those of the whole.
[[nodiscard]] std::int64_t own_border(Isa isa, Product product, int rows);

}  // namespace kern::cpu
