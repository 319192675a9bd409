// Matrix product for the sizes of small networks. A cost model of the shape alone chooses among
// three ways. Where rows of C are rows of a batch (A is not transposed) the model does not know how
// many there are, so that a row's sums are the same in every batch.
//
// Tiles: kRows x kCols of C stay in registers; a transposed B is packed, A is read in place or
// copied by tiles.
//
// Transposed: for A^T B with few columns, tiles of C^T = B^T A, turned on the way out.
//
// Dots: for few columns or few rows, dot products along k.

#include "kernels/cpu/vector/vector.h"

#include "kernels/cpu/pack_memory.h"
#include "kernels/cpu/vector/gemm_dot.h"
#include "kernels/cpu/vector/gemm_pack.h"
#include "kernels/cpu/vector/gemm_tile.h"

namespace kern::cpu::KERN_ISA {
namespace {

using Args = GemmArgs<float>;

constexpr int kDepth = 256;            // rows of a packed panel
constexpr int kTileFloats = 8 * 1024;  // of the pack memory, for a copied tile of A
// Packed of B at once; without AVX-512 what leaves room in a second-level cache of 512 KB.
constexpr int kBlockFloats = kRegisters == 16 ? 64 * 1024 : kPackFloats - kTileFloats;

constexpr int kUsualRows = 32;  // of a batch, for the cost model
// Of one row: sums enough to keep the multiply-add units busy.
constexpr int kWideVectors = 4, kWideCols = kWideVectors * kWidth;
constexpr double kLargeFloats = 1 << 20;  // of B: twice a second-level cache
constexpr int kPackedRows = 4 * kRows;

constexpr int min(int a, int b) { return a < b ? a : b; }
constexpr int divide_up(int a, int b) { return (a + b - 1) / b; }
constexpr std::ptrdiff_t at(int row, int stride, int col) {
  return std::ptrdiff_t(row) * stride + col;
}

/// All rows of C against one packed or direct block of B: `n` columns from `col` on, `k` deep from
/// `p` on.
template <bool TransA>
void multiply_block(const Args& g, int p, int k, int col, int n, const float* b, bool packed,
                    bool copy_a, float* copy) {
  const int tiles = divide_up(g.m, kRows), low = g.m / tiles, high_tiles = g.m % tiles;
  Tile t{k,
         nullptr,
         g.lda,
         b,
         packed ? kCols : g.ldb,
         nullptr,
         g.ldc,
         g.alpha,
         p == 0 ? g.beta : 1.0f,
         tail(0)};
  for (int i = 0, row = 0; i < tiles; ++i) {
    const int rows = low + (i < high_tiles);
    t.a = TransA ? g.a + at(p, g.lda, row) : g.a + at(row, g.lda, p);
    if (copy_a) {
      const int stride = TransA ? 16 : kDepth + 16;
      copy_tile(t.a, g.lda, TransA ? k : rows, TransA ? rows : k, copy, stride);
      t.a = copy;
      t.lda = stride;
    }
    int j = 0;
    for (; rows == 1 && !packed && n - j >= kWideCols; j += kWideCols) {
      t.b = b + j;
      t.c = g.c + at(row, g.ldc, col + j);
      tile<1, kWideVectors, TransA, true>(t);
    }
    for (; j < n; j += kCols) {
      const int cols = min(n - j, kCols), vectors = divide_up(cols, kWidth),
                last = cols - (vectors - 1) * kWidth;
      t.last = tail(last);
      t.b = packed ? b + std::ptrdiff_t(k) * j : b + j;
      t.c = g.c + at(row, g.ldc, col + j);
      find_tile<TransA, Tile>(rows, vectors, last == kWidth)(t);
    }
    row += rows;
  }
}

/// Whether a B that is not transposed is copied into panels. Read in place it misses caches and
/// pages once per tile of rows, the more the larger it is and the farther its rows lie apart (a
/// kilobyte and its multiples meet in few sets of the first-level cache); a copy is paid for once.
/// In cycles a float of B, measured on an AMD EPYC of the third generation. Processors with AVX-512
/// have larger caches, and prefetching ahead costs them less than a copy until B outgrows the
/// second-level cache (measured on an Intel Xeon of the fifth generation).
bool worth_packing(const Args& g) {
  if (g.n <= 2 * kCols) return false;
  const double floats = double(g.n) * g.k;
  if (kRegisters == 32) return floats > kLargeFloats && g.m > kPackedRows;
  double miss = floats < 2e5 ? floats / 1e6 : 0.2;
  if (g.ldb >= 768) miss += 0.1;
  if (g.ldb % 256 == 0) miss += 0.1 * min(int(g.ldb / 256), 8);
  return divide_up(g.m, kRows) * miss > 0.3;
}

template <bool TransA>
void multiply_tiles(const Args& g) {
  float* copy = pack_memory();
  float* block = copy + kTileFloats;
  const bool packed = g.trans_b || worth_packing(g);
  // Rows that lie a large power of two apart fall into the same few sets of the cache.
  const bool copy_a = TransA ? g.n > 64 && g.k > 16 : g.n > 2 * kCols && g.lda % 512 == 0;
  // The order of a sum depends on its length alone: not on how many rows are multiplied at once.
  const int depth = g.k > kDepth ? divide_up(g.k, divide_up(g.k, kDepth)) : g.k;
  for (int p = 0; p < g.k || p == 0; p += depth) {
    const int k = min(g.k - p, depth);
    const int width = packed && k > 0 ? kBlockFloats / k / kCols * kCols : g.n;
    for (int j = 0; j < g.n; j += width) {
      const int n = min(g.n - j, width);
      const float* b = g.trans_b ? g.b + at(j, g.ldb, p) : g.b + at(p, g.ldb, j);
      if (packed) pack_block(g.trans_b, b, g.ldb, k, n, block);
      multiply_block<TransA>(g, p, k, j, n, packed ? block : b, packed, copy_a, copy);
    }
    if (k == 0) break;
  }
}

/// A^T b for a single column b, whose elements of C lie side by side: the row b^T A.
void multiply_column(const Args& g) {
  Args row = g;
  row.m = 1;
  row.n = g.m;
  row.a = g.b;
  row.lda = g.ldb;
  row.ldb = g.lda;
  multiply_block<true>(row, 0, g.k, 0, g.m, g.a, false, false, nullptr);
}

/// For A^T B and n <= kRows: columns of C^T come out of the tiles as rows of a strip, which is
/// turned into C.
void multiply_transposed(const Args& g) {
  alignas(64) float strip[kWidth * kCols];
  Tile t{g.k, g.b, g.ldb, nullptr, g.lda, strip, kCols, g.alpha, 0.0f, tail(0)};
  const Tail lanes = tail(g.n);
  const reg beta = set1(g.beta);
  for (int i = 0; i < g.m; i += kCols) {
    const int rows = min(g.m - i, kCols), vectors = divide_up(rows, kWidth),
              last = rows - (vectors - 1) * kWidth;
    t.b = g.a + i;
    t.last = tail(last);
    find_tile<true, Tile>(g.n, vectors, last == kWidth)(t);
    for (int r = 0; r < rows; r += 4) {
      reg out[4];
      load_transposed4(strip + r, kCols, out);
      for (int q = 0; q < 4 && r + q < rows; ++q) {
        float* c = g.c + at(i + r + q, g.ldc, 0);
        store(c, g.beta == 0 ? out[q] : fma(beta, load(c, lanes), out[q]), lanes);
      }
    }
  }
}

/// A B or A B^T as dot products; a B that is not transposed yet is turned in the pack memory first.
void multiply_dots(const Args& g) {
  Dots d{g.m, g.n, g.k, g.a, g.lda, g.b, g.ldb, g.c, g.ldc, g.alpha, g.beta};
  if (!g.trans_b) {
    float* turned = pack_memory();
    for (int p = 0; p < g.k; ++p)
      for (int j = 0; j < g.n; ++j) turned[at(j, g.k, p)] = g.b[at(p, g.ldb, j)];
    d.b = turned;
    d.ldb = g.k;
  }
  dots(d);
}

/// A product of nothing: C is scaled, A and B need not be there.
void scale(const Args& g) {
  for (int row = 0; row < g.m; ++row) {
    float* c = g.c + at(row, g.ldc, 0);
    for (int col = 0; col < g.n; ++col) c[col] = g.beta == 0 ? 0.0f : g.beta * c[col];
  }
}

// Estimated cycles, from two multiply-adds and two loads a cycle. They only have to rank the ways.
double tile_cost(const Args& g) {
  const double columns = divide_up(g.n, kWidth) * double(kWidth), k = g.k;
  const double turn = g.trans_b ? 0.3 * columns * k : 0;
  const double latency = g.m * divide_up(min(g.n, kCols), kWidth) < 8
                             ? 8.0 / (g.m * divide_up(min(g.n, kCols), kWidth))
                             : 1;
  return g.m * columns * k / (2 * kWidth) * latency + turn +
         25.0 * divide_up(g.m, kRows) * divide_up(g.n, kCols);
}
double transposed_cost(const Args& g) {
  return double(g.n) * divide_up(g.m, kWidth) * g.k / 2 +
         divide_up(g.m, kWidth) * (4.0 * kWidth + 10);
}
double dot_cost(const Args& g) {
  const double columns = g.n > 2 ? divide_up(g.n, 4) * 4 : g.n;
  return g.m * columns * (divide_up(g.k, kWidth) * 0.6 + 4) + (g.trans_b ? 0 : 1.5 * g.n * g.k);
}

}  // namespace

void gemm(Exec&, const Args& g) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) return scale(g);
  if (g.trans_a) {
    if (!g.trans_b && g.n == 1 && g.ldc == 1) return multiply_column(g);
    if (!g.trans_b && g.n < kWidth && g.n <= kRows && transposed_cost(g) < tile_cost(g))
      return multiply_transposed(g);
    return multiply_tiles<true>(g);
  }
  const bool fits = g.trans_b || std::size_t(g.n) * std::size_t(g.k) <= kPackFloats;
  Args usual = g;
  usual.m = kUsualRows;
  if (fits && dot_cost(usual) < tile_cost(usual)) return multiply_dots(g);
  multiply_tiles<false>(g);
}

}  // namespace kern::cpu::KERN_ISA
