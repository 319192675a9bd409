#pragma once
// Rearranging operands of the matrix product. A panel is [k, kCols]; a block is its panels one
// after another.

#include "kernels/cpu/vector/gemm_tile.h"

namespace kern::cpu::KERN_ISA {

/// `rows` rows of `length` floats, copied to rows that lie `to_stride` apart.
KERN_INLINE void copy_rows(const float* from, std::ptrdiff_t stride, int rows, int length,
                           float* to, std::ptrdiff_t to_stride) {
  for (int i = 0; i < rows; ++i, from += stride, to += to_stride) {
    int j = 0;
    for (; j + kWidth <= length; j += kWidth) store(to + j, load(from + j));
    if (j < length) store(to + j, load(from + j, tail(length - j)), tail(length - j));
  }
}

/// The same for rows of a tile, whose stride leaves room for a whole vector behind each: what is
/// there is cleared. Some processors take ten times as long to store a part of a vector.
KERN_INLINE void copy_tile(const float* from, std::ptrdiff_t stride, int rows, int length,
                           float* to, std::ptrdiff_t to_stride) {
  const int whole = length / kWidth * kWidth;
  const Tail rest = tail(length - whole);
  for (int i = 0; i < rows; ++i, from += stride, to += to_stride) {
    for (int j = 0; j < whole; j += kWidth) store(to + j, load(from + j));
    if (whole < length) store(to + whole, load(from + whole, rest));
  }
}

/// Panels of B[k, n], or of its transpose stored as [n, k]. Columns beyond n keep whatever was
/// there: their lanes of a tile are computed and thrown away.
inline void pack_block(bool trans, const float* b, std::ptrdiff_t ldb, int k, int n, float* block) {
  for (int j = 0; j < n; j += kCols, block += std::ptrdiff_t(k) * kCols) {
    const int cols = n - j < kCols ? n - j : kCols;
    if (!trans)
      copy_rows(b + j, ldb, k, cols, block, kCols);
    else
      for (int i = 0; i < cols; i += kWidth)
        turn_rows(b + (j + i) * ldb, ldb, cols - i, k, block + i, kCols);
  }
}

}  // namespace kern::cpu::KERN_ISA
