#pragma once
// The inner loops of the matrix product: a tile of C stays in registers while k runs.

#include <type_traits>
#include <utility>

#include "kernels/cpu/vector/simd.h"

namespace kern::cpu::KERN_ISA {

constexpr int kVectors = 2;               // vectors of a tile's row
constexpr int kCols = kVectors * kWidth;  // columns of a tile
constexpr int kRows = kRegisters == 32 ? 14 : 6;
constexpr int kAhead =
    8;  // rows of B: read in place, they are too far apart for the hardware's guess

/// Work of one tile: C = alpha A B + beta C.
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

  /// The sum with one more term.
  KERN_INLINE static reg add_term(reg x, reg y, reg sum) { return fma(x, y, sum); }
};

/// A tile of a convolution, with what follows the sum.
struct WindowTile : Tile {
  const float* bias = nullptr;  ///< added to every row
  bool relu = false;            ///< applied last
};

/// The sum runs over `segments` of k terms; A jumps after each, as from one row under a window to
/// the next.
struct SegmentTile : WindowTile {
  int segments = 1;
  std::ptrdiff_t jump = 0;  ///< counted from where a segment ended
};

/// From one term to the next A moves by `steps[p]` floats. A table costs a load a term; where
/// segments are short, the mispredicted branch at the end of each costs more.
struct StepTile : WindowTile {
  const std::int32_t* steps = nullptr;  ///< [k]
};

/// C = the sums. What every product of a layer ends with: of short sums a tenth of the time.
template <int R, int V, bool Whole>
KERN_INLINE void put(const Tile& t, const reg (&sums)[R][V]) {
#pragma GCC unroll 16
  for (int i = 0; i < R; ++i) {
    float* c = t.c + i * t.ldc;
#pragma GCC unroll 4
    for (int j = 0; j < V; ++j) {
      if (Whole || j + 1 < V)
        store(c + j * kWidth, sums[i][j]);
      else
        store(c + j * kWidth, sums[i][j], t.last);
    }
  }
}

/// `R` rows and `V` vectors of columns; A is [R, k] or, with TransA, [k, R]. Three rows of A share
/// one pointer, because x86 reaches p, p + lda and p + 2 lda without further registers.
template <int R, int V, bool TransA, bool Whole, class Work>
void tile(const Work& t) {
  constexpr bool kWindow = std::is_base_of_v<WindowTile, Work>;
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
  const int segments = [&] {
    if constexpr (std::is_same_v<Work, SegmentTile>)
      return t.segments;
    else
      return 1;
  }();
  for (int segment = 0; segment < segments; ++segment) {
#pragma GCC unroll 2
    for (int p = 0; p < t.k; ++p) {
      reg row[V];
#pragma GCC unroll 4
      for (int j = 0; j < V; ++j)
        row[j] = Whole || j + 1 < V ? load(b + j * kWidth) : load(b + j * kWidth, t.last);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) {
        const reg x = set1(TransA ? a[0][i] : a[i / 3][(i % 3) * lda]);
#pragma GCC unroll 4
        for (int j = 0; j < V; ++j) acc[i][j] = Work::add_term(x, row[j], acc[i][j]);
      }
      if constexpr (!kWindow) {
#pragma GCC unroll 4
        for (int j = 0; j < V; ++j) __builtin_prefetch(b + kAhead * ldb + j * kWidth);
      }
      std::ptrdiff_t step = TransA ? lda : 1;
      if constexpr (std::is_same_v<Work, StepTile>) step = t.steps[p];
#pragma GCC unroll 16
      for (int q = 0; q < kGroups; ++q) a[q] += step;
      b += ldb;
    }
    if constexpr (std::is_same_v<Work, SegmentTile>) {
#pragma GCC unroll 16
      for (int q = 0; q < kGroups; ++q) a[q] += t.jump;
    }
  }
  if constexpr (!kWindow) {
    if (t.alpha == 1 && t.beta == 0) return put<R, V, Whole>(t, acc);
  }
  const reg alpha = set1(t.alpha), beta = set1(t.beta);
#pragma GCC unroll 4
  for (int j = 0; j < V; ++j) {
    const bool whole = Whole || j + 1 < V;
    reg bias = set1(0);
    if constexpr (kWindow)
      if (t.bias) bias = whole ? load(t.bias + j * kWidth) : load(t.bias + j * kWidth, t.last);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      float* c = t.c + i * t.ldc + j * kWidth;
      reg v = kWindow ? acc[i][j] + bias : acc[i][j] * alpha;
      if (t.beta != 0) v = fma(beta, whole ? load(c) : load(c, t.last), v);
      if constexpr (kWindow)
        if (t.relu) v = at_least(v, set1(0));
      if (whole)
        store(c, v);
      else
        store(c, v, t.last);
    }
  }
}

template <class Work>
using TileFn = void (*)(const Work&);

template <int V, bool TransA, bool Whole, class Work>
struct TileTable {
  TileFn<Work> by_rows[kRows];
  template <int... R>
  static constexpr TileTable make(std::integer_sequence<int, R...>) {
    return {{tile<R + 1, V, TransA, Whole, Work>...}};
  }
};

/// The tile for 1..kRows rows and 1..kVectors vectors, the last of them `whole` or cut by
/// Tile::last.
template <bool TransA, class Work>
TileFn<Work> find_tile(int rows, int vectors, bool whole) {
  constexpr auto rows_list = std::make_integer_sequence<int, kRows>();
  static constexpr auto one = TileTable<1, TransA, true, Work>::make(rows_list);
  static constexpr auto one_cut = TileTable<1, TransA, false, Work>::make(rows_list);
  static constexpr auto two = TileTable<2, TransA, true, Work>::make(rows_list);
  static constexpr auto two_cut = TileTable<2, TransA, false, Work>::make(rows_list);
  if (vectors == 1) return (whole ? one.by_rows : one_cut.by_rows)[rows - 1];
  return (whole ? two.by_rows : two_cut.by_rows)[rows - 1];
}

}  // namespace kern::cpu::KERN_ISA
