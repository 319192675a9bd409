#pragma once
// The inner loops of the matrix product: a tile of C stays in registers while k runs.

#include <utility>

#include "kernels/cpu/vector/simd.h"

namespace kern::cpu::KERN_ISA {

constexpr int kVectors = 2;                // vectors of a tile's row
constexpr int kCols = kVectors * kWidth;   // columns of a tile
constexpr int kRows = kRegisters == 32 ? 14 : 6;

struct Tile {
  int k;
  const float* a;
  std::ptrdiff_t lda;
  const float* b;
  std::ptrdiff_t ldb;
  float* c;
  std::ptrdiff_t ldc;
  float alpha, beta;
  Tail last;  ///< lanes of the last vector of a row
};

/// C = alpha A B + beta C for `R` rows and `V` vectors of columns; A is [R, k] or, with TransA, [k, R]. Three rows of
/// A share one pointer, because x86 reaches p, p + lda and p + 2 lda without further registers.
template <int R, int V, bool TransA, bool Whole>
void tile(const Tile& t) {
  reg acc[R][V];
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) acc[i][j] = set1(0);
  constexpr int kGroups = TransA ? 1 : (R + 2) / 3;
  const float* a[kGroups];
#pragma GCC unroll 16
  for (int q = 0; q < kGroups; ++q) a[q] = t.a + 3 * q * t.lda;
  const float* b = t.b;
  const std::ptrdiff_t lda = t.lda, ldb = t.ldb;
#pragma GCC unroll 2
  for (int p = 0; p < t.k; ++p) {
    reg row[V];
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) row[j] = Whole || j + 1 < V ? load(b + j * kWidth) : load(b + j * kWidth, t.last);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const reg x = set1(TransA ? a[0][i] : a[i / 3][(i % 3) * lda]);
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j) acc[i][j] = fma(x, row[j], acc[i][j]);
    }
#pragma GCC unroll 16
    for (int q = 0; q < kGroups; ++q) a[q] += TransA ? lda : 1;
    b += ldb;
  }
  const reg alpha = set1(t.alpha), beta = set1(t.beta);
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      float* c = t.c + i * t.ldc + j * kWidth;
      const bool whole = Whole || j + 1 < V;
      reg v = acc[i][j] * alpha;
      if (t.beta != 0) v = fma(beta, whole ? load(c) : load(c, t.last), v);
      if (whole) store(c, v);
      else store(c, v, t.last);
    }
}

using TileFn = void (*)(const Tile&);

template <int V, bool TransA, bool Whole>
struct TileTable {
  TileFn by_rows[kRows];
  template <int... R>
  static constexpr TileTable make(std::integer_sequence<int, R...>) {
    return {{tile<R + 1, V, TransA, Whole>...}};
  }
};

/// The tile for 1..kRows rows and 1..kVectors vectors, the last of them `whole` or cut by Tile::last.
template <bool TransA>
TileFn find_tile(int rows, int vectors, bool whole) {
  constexpr auto rows_list = std::make_integer_sequence<int, kRows>();
  static constexpr auto one = TileTable<1, TransA, true>::make(rows_list);
  static constexpr auto one_cut = TileTable<1, TransA, false>::make(rows_list);
  static constexpr auto two = TileTable<2, TransA, true>::make(rows_list);
  static constexpr auto two_cut = TileTable<2, TransA, false>::make(rows_list);
  if (vectors == 1) return (whole ? one.by_rows : one_cut.by_rows)[rows - 1];
  return (whole ? two.by_rows : two_cut.by_rows)[rows - 1];
}

}  // namespace kern::cpu::KERN_ISA
