// Matrix product of operands rounded to bf16, by the instruction that multiplies two pairs of
// numbers and adds both products to a sum in float (VDPBF16PS).
//
// Both operands are rounded and rearranged in the pack memory: numbers that follow each other along
// k make a pair, which is one 32-bit word. From there on it is the tiles of the float product.

#include "kernels/cpu/pack_memory.h"
#include "kernels/cpu/vector/gemm_tile.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

using Args = GemmArgs<float>;

constexpr int kDepth = 512;         // terms of a sum in one block: 256 rows of a panel
constexpr int kWordsA = 32 * 1024;  // of the pack memory
constexpr int kWordsTurned = kWidth * (kDepth / 2 + kWidth);
constexpr int kWordsB = static_cast<int>(kPackFloats) - kWordsA - kWordsTurned;

constexpr int min(int a, int b) { return a < b ? a : b; }
constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }

/// Words are kept where floats are: loads, stores and broadcasts leave their bits alone.
struct PairTile : Tile {
  KERN_INLINE static reg add_term(reg x, reg y, reg sum) {
    return _mm512_dpbf16_ps(sum, (__m512bh)x, (__m512bh)y);
  }
};

/// Word i is the pair of first[i] and second[i].
KERN_INLINE reg pair_up(reg first, reg second) {
  const ireg low = (ireg)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(first));
  const ireg high = (ireg)_mm512_cvtepu16_epi32((__m256i)_mm512_cvtneps_pbh(second));
  return from_bits(low | high << 16);
}

/// The pairs of neighbours of 2 kWidth numbers.
KERN_INLINE reg pair_neighbours(reg first, reg second) {
  return (reg)_mm512_cvtne2ps_pbh(second, first);
}

/// Pairs of two rows, or of one and zeros where `below` is null.
KERN_INLINE void pair_rows(const float* row, const float* below, int cols, float* to) {
  int j = 0;
  for (; j + kWidth <= cols; j += kWidth)
    store(to + j, pair_up(load(row + j), below ? load(below + j) : set1(0)));
  if (j == cols) return;
  const Tail t = tail(cols - j);
  store(to + j, pair_up(load(row + j, t), below ? load(below + j, t) : set1(0)), t);
}

/// Pairs of neighbours in a row of `length` numbers; the last one of an odd length is with a zero.
KERN_INLINE void pair_row(const float* row, int length, float* to) {
  int p = 0;
  for (; p + 2 * kWidth <= length; p += 2 * kWidth)
    store(to + p / 2, pair_neighbours(load(row + p), load(row + p + kWidth)));
  if (p == length) return;
  const int left = length - p;
  const reg first = left < kWidth ? load(row + p, tail(left)) : load(row + p);
  const reg second = left > kWidth ? load(row + p + kWidth, tail(left - kWidth)) : set1(0);
  store(to + p / 2, pair_neighbours(first, second), tail(divide_up(left, 2)));
}

/// `k` terms of `m` rows of A: [m, words], or of a transposed A, whose rows are the terms,
/// [words, m].
void pack_a(bool trans, const float* a, std::ptrdiff_t lda, int m, int k, float* to) {
  const int words = divide_up(k, 2);
  if (!trans)
    for (int i = 0; i < m; ++i) pair_row(a + i * lda, k, to + std::ptrdiff_t(i) * words);
  else
    for (int p = 0; p < words; ++p)
      pair_rows(a + 2 * p * lda, 2 * p + 1 < k ? a + (2 * p + 1) * lda : nullptr, m,
                to + std::ptrdiff_t(p) * m);
}

/// Panels of `n` columns of B, [words, kCols] each. Columns beyond n hold anything.
void pack_b(bool trans, const float* b, std::ptrdiff_t ldb, int n, int k, float* turned,
            float* to) {
  const int words = divide_up(k, 2);
  for (int j = 0; j < n; j += kCols, to += std::ptrdiff_t(words) * kCols) {
    const int cols = min(n - j, kCols);
    if (!trans) {
      for (int p = 0; p < words; ++p) {
        const float* row = b + 2 * p * ldb + j;
        pair_rows(row, 2 * p + 1 < k ? row + ldb : nullptr, cols, to + std::ptrdiff_t(p) * kCols);
      }
      continue;
    }
    for (int i = 0; i < cols; i += kWidth) {
      const int rows = min(cols - i, kWidth);
      for (int r = 0; r < rows; ++r)
        pair_row(b + (j + i + r) * ldb, k, turned + std::ptrdiff_t(r) * words);
      turn_rows(turned, words, rows, words, to + i, kCols);
    }
  }
}

/// One block of A against one of B: C of `m` rows and `n` columns.
template <bool TransA>
void multiply_block(const Args& g, int words, int m, int n, const float* a, const float* b,
                    float* c, float beta) {
  const int tiles = divide_up(m, kRows), low = m / tiles, high_tiles = m % tiles;
  PairTile t{
      {words, nullptr, TransA ? m : words, nullptr, kCols, nullptr, g.ldc, g.alpha, beta, tail(0)}};
  for (int i = 0, row = 0; i < tiles; ++i) {
    const int rows = low + (i < high_tiles);
    t.a = a + (TransA ? row : std::ptrdiff_t(row) * words);
    for (int j = 0; j < n; j += kCols) {
      const int cols = min(n - j, kCols), vectors = divide_up(cols, kWidth),
                last = cols - (vectors - 1) * kWidth;
      t.last = tail(last);
      t.b = b + std::ptrdiff_t(words) * j;
      t.c = c + std::ptrdiff_t(row) * g.ldc + j;
      find_tile<TransA, PairTile>(rows, vectors, last == kWidth)(t);
    }
    row += rows;
  }
}

/// All rows of C against a packed block of B.
void multiply_columns(const Args& g, int p, int k, int col, int n, float* a, const float* b) {
  const int words = divide_up(k, 2), most = k == 0 ? g.m : kWordsA / words;
  for (int row = 0; row < g.m; row += most) {
    const int m = min(g.m - row, most);
    const std::ptrdiff_t at =
        g.trans_a ? p * std::ptrdiff_t(g.lda) + row : row * std::ptrdiff_t(g.lda) + p;
    pack_a(g.trans_a, g.a + at, g.lda, m, k, a);
    float* c = g.c + row * std::ptrdiff_t(g.ldc) + col;
    const float beta = p == 0 ? g.beta : 1.0f;
    g.trans_a ? multiply_block<true>(g, words, m, n, a, b, c, beta)
              : multiply_block<false>(g, words, m, n, a, b, c, beta);
  }
}

}  // namespace

void gemm(Exec&, const Args& g) {
  if (g.m == 0 || g.n == 0) return;
  float* turned = pack_memory();
  float* a = turned + kWordsTurned;
  float* b = a + kWordsA;
  for (int p = 0; p < g.k || p == 0; p += kDepth) {
    const int k = min(g.k - p, kDepth);
    const int width = k == 0 ? g.n : kWordsB / divide_up(k, 2) / kCols * kCols;
    for (int col = 0; col < g.n; col += width) {
      const int n = min(g.n - col, width);
      const std::ptrdiff_t at =
          g.trans_b ? col * std::ptrdiff_t(g.ldb) + p : p * std::ptrdiff_t(g.ldb) + col;
      pack_b(g.trans_b, g.b + at, g.ldb, n, k, turned, b);
      multiply_columns(g, p, k, col, n, a, b);
    }
  }
}

}  // namespace kern::cpu::KERN_ISA
