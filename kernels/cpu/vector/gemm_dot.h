#pragma once
// C = A B^T with both operands contiguous along k: every element is a dot product, kWidth of them
// at a time. For results that are too narrow, or have too few rows, to fill a tile's vectors.

#include "kernels/cpu/vector/simd.h"

namespace kern::cpu::KERN_ISA {

struct Dots {
  int m, n, k;
  const float* a;
  std::ptrdiff_t lda;
  const float* b;
  std::ptrdiff_t ldb;
  float* c;
  std::ptrdiff_t ldc;
  float alpha, beta;
};

/// Lane i of the result is the sum of the lanes of v[i].
KERN_INLINE reg sum_lanes(const reg v[kWidth]) {
  float rows[kWidth * kWidth];
#pragma GCC unroll 16
  for (int i = 0; i < kWidth; ++i) store(rows + i * kWidth, v[i]);
  reg sum = set1(0);
  for (int j = 0; j < kWidth; j += 4) {
    reg columns[4];
    load_transposed4(rows + j, kWidth, columns);
    sum = sum + ((columns[0] + columns[1]) + (columns[2] + columns[3]));
  }
  return sum;
}

/// One group of R x S = kWidth dot products. Rows beyond the matrix repeat its last one and are not
/// stored.
template <int R, int S>
void dot_tile(const Dots& d, int row, int col) {
  const int rows = d.m - row < R ? d.m - row : R, cols = d.n - col < S ? d.n - col : S;
  const float *a[R], *b[S];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) a[i] = d.a + std::ptrdiff_t(row + (i < rows ? i : rows - 1)) * d.lda;
#pragma GCC unroll 16
  for (int j = 0; j < S; ++j) b[j] = d.b + std::ptrdiff_t(col + (j < cols ? j : cols - 1)) * d.ldb;
  reg acc[R * S];
#pragma GCC unroll 16
  for (int i = 0; i < R * S; ++i) acc[i] = set1(0);
  const auto step = [&](int p, auto read) __attribute__((always_inline)) {
    reg y[S];
#pragma GCC unroll 16
    for (int j = 0; j < S; ++j) y[j] = read(b[j] + p);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const reg x = read(a[i] + p);
#pragma GCC unroll 16
      for (int j = 0; j < S; ++j) acc[i * S + j] = fma(x, y[j], acc[i * S + j]);
    }
  };
  int p = 0;
  for (; p + kWidth <= d.k; p += kWidth) step(p, [](const float* q) { return load(q); });
  if (p < d.k) step(p, [t = tail(d.k - p)](const float* q) { return load(q, t); });
  float sums[kWidth];
  store(sums, sum_lanes(acc) * set1(d.alpha));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < cols; ++j) {
      float& c = d.c[(row + i) * d.ldc + col + j];
      c = d.beta == 0 ? sums[i * S + j] : sums[i * S + j] + d.beta * c;
    }
}

template <int R, int S>
void dot_tiles(const Dots& d) {
  for (int col = 0; col < d.n; col += S)
    for (int row = 0; row < d.m; row += R) dot_tile<R, S>(d, row, col);
}

inline void dots(const Dots& d) {
  constexpr int kFour = kWidth < 4 ? kWidth : 4;
  if (d.n == 1)
    dot_tiles<kWidth, 1>(d);
  else if (d.m == 1)
    dot_tiles<1, kWidth>(d);
  else if (d.n == 2)
    dot_tiles<kWidth / 2, 2>(d);
  else if (d.m == 2)
    dot_tiles<2, kWidth / 2>(d);
  else
    dot_tiles<kWidth / kFour, kFour>(d);
}

}  // namespace kern::cpu::KERN_ISA
