#pragma once
// Up to which size our own code multiplies: a rule found by measuring on several processors, which
// `trellis bench gemm` holds against what it measures here. Nothing is measured at start, because
// noise must not change bits.

#include <array>
#include <cstdint>

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

/// Weights up to which our own code multiplies.
[[nodiscard]] std::int64_t own_border(Product product, int rows);

}  // namespace kern::cpu
