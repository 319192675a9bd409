#pragma once
// Sums in an order that depends on the number of terms alone, without atomics.

#include "kernels/cuda/lanes.h"
#include "kernels/cuda/launch.h"
#include "kernels/cuda/temporary.h"

namespace kern::KERN_ON {

/// values[0] becomes the sum of the kCount values (a power of two, at most the block's threads),
/// neighbours at a distance first. `values` is shared memory; T has +=.
template <int kCount, int kThreads, class T>
KERN_DEVICE void add_up(const Block<kThreads>& block, T* values) {
  for (int half = kCount / 2; half > 0; half /= 2) {
    block.each([&](int t) {
      if (t < half) values[t] += values[t + half];
    });
  }
}

inline constexpr int kTileCols = 32, kTileThreads = 256, kTileRows = 512;
template <int kWide>
struct ColumnTile {
  float sums[kTileThreads * kWide];
};

KERN_DEVICE inline void add_terms(float (&sums)[1], float term) { sums[0] += term; }
template <int kWide>
KERN_DEVICE void add_terms(float (&sums)[kWide], const Lanes<float, kWide>& terms) {
  for (int j = 0; j < kWide; ++j) sums[j] += terms.at[j];
}

/// One number a column and 512 rows: store(chunk of rows, column, sum of load(row, column)), where
/// load gives a number, or the lanes of kWide columns, by which `cols` is divided.
template <int kWide, class Load, class Store>
void sum_tiles(std::size_t rows, int cols, Load load, Store store) {
  constexpr int kAcross = kTileCols / kWide, kDown = kTileThreads / kAcross;
  const std::size_t chunks = (rows + kTileRows - 1) / kTileRows;
  const auto tiles = static_cast<std::size_t>((cols + kTileCols - 1) / kTileCols);
  over_blocks<kTileThreads, ColumnTile<kWide>>(
      chunks * tiles, [=] KERN_DEVICE(const Block<kTileThreads>& block, ColumnTile<kWide>& tile) {
        const std::size_t chunk = block.index / tiles, begin = chunk * kTileRows;
        const std::size_t end = begin + kTileRows < rows ? begin + kTileRows : rows;
        const int first = static_cast<int>(block.index % tiles) * kTileCols;
        block.each([&](int t) {
          const int col = first + t % kAcross * kWide;
          float sums[kWide] = {};
          for (std::size_t row = begin + static_cast<std::size_t>(t / kAcross);
               col < cols && row < end; row += kDown) {
            add_terms(sums, load(row, col));
          }
          for (int j = 0; j < kWide; ++j) tile.sums[t * kWide + j] = sums[j];
        });
        for (int half = kDown / 2; half > 0; half /= 2) {
          block.each([&](int t) {
            for (int i = t; i < half * kTileCols; i += kTileThreads)
              tile.sums[i] += tile.sums[i + half * kTileCols];
          });
        }
        block.each([&](int t) {
          if (t < kTileCols && first + t < cols) store(chunk, first + t, tile.sums[t]);
        });
      });
}

/// store(column, sum over the rows of load(row, column)); each element is loaded once, kWide
/// columns at a time. Sums of no rows are 0.
template <int kWide = 1, class Load, class Store>
void sum_columns(Temporary& temporary, std::size_t rows, int cols, Load load, Store store) {
  if (rows == 0) {
    return over(static_cast<std::size_t>(cols),
                [=] KERN_DEVICE(std::size_t j) { store(static_cast<int>(j), 0.0F); });
  }
  if (rows <= kTileRows) {
    return sum_tiles<kWide>(rows, cols, load,
                            [=] KERN_DEVICE(std::size_t, int col, float sum) { store(col, sum); });
  }
  const std::size_t wide = static_cast<std::size_t>(cols);
  std::size_t left = (rows + kTileRows - 1) / kTileRows;
  float* from = temporary.take<float>(left * wide);
  sum_tiles<kWide>(rows, cols, load, [=] KERN_DEVICE(std::size_t chunk, int col, float sum) {
    from[chunk * wide + static_cast<std::size_t>(col)] = sum;
  });
  while (left > kTileRows) {
    const std::size_t fewer = (left + kTileRows - 1) / kTileRows;
    float* to = temporary.take<float>(fewer * wide);
    sum_tiles<1>(
        left, cols,
        [=] KERN_DEVICE(std::size_t row, int col) {
          return from[row * wide + static_cast<std::size_t>(col)];
        },
        [=] KERN_DEVICE(std::size_t chunk, int col, float sum) {
          to[chunk * wide + static_cast<std::size_t>(col)] = sum;
        });
    from = to;
    left = fewer;
  }
  sum_tiles<1>(
      left, cols,
      [=] KERN_DEVICE(std::size_t row, int col) {
        return from[row * wide + static_cast<std::size_t>(col)];
      },
      [=] KERN_DEVICE(std::size_t, int col, float sum) { store(col, sum); });
}

inline constexpr int kSumThreads = 256;
template <class T>
struct SumTerms {
  T terms[kSumThreads];
};

/// store(sum of `count` values at `from`), by one block.
template <class T, class Store>
void sum_in_one_block(std::size_t count, const T* from, Store store) {
  over_blocks<kSumThreads, SumTerms<T>>(
      1, [=] KERN_DEVICE(const Block<kSumThreads>& block, SumTerms<T>& shared) {
        block.each([&](int t) {
          T sum{};
          for (std::size_t i = static_cast<std::size_t>(t); i < count; i += kSumThreads)
            sum += from[i];
          shared.terms[t] = sum;
        });
        add_up<kSumThreads>(block, shared.terms);
        block.each([&](int t) {
          if (t == 0) store(shared.terms[0]);
        });
      });
}

}  // namespace kern::KERN_ON
