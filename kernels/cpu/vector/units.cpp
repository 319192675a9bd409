// Numbers that belong to units: their squares summed, and scaled. Units lie side by side (inner 1)
// or each in a block of its own.

#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// The sum of the squares of `count` numbers, in four partial sums.
KERN_INLINE float squares_of(const float* x, std::ptrdiff_t count) {
  reg sums[4] = {set1(0), set1(0), set1(0), set1(0)};
  std::ptrdiff_t i = 0;
  for (; i + 4 * kWidth <= count; i += 4 * kWidth) {
    for (int k = 0; k < 4; ++k) {
      const reg v = load(x + i + k * kWidth);
      sums[k] = fma(v, v, sums[k]);
    }
  }
  for_each_vector(count - i, [&](std::ptrdiff_t j, auto... t) {
    const reg v = load(x + i + j, t...);
    sums[0] = fma(v, v, sums[0]);
  });
  return sum_lanes((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

}  // namespace

double sum_squares(Exec&, std::size_t count, const float* x) {
  // Lanes are added up in double often enough that the number of weights costs no digits.
  constexpr std::ptrdiff_t kBlock = 64 * kWidth;
  const auto end = static_cast<std::ptrdiff_t>(count);
  double total = 0;
  for (std::ptrdiff_t from = 0; from < end; from += kBlock) {
    reg sum = set1(0);
    for_each_vector(end - from < kBlock ? end - from : kBlock, [&](std::ptrdiff_t i, auto... t) {
      const reg v = load(x + from + i, t...);
      sum = fma(v, v, sum);
    });
    for (int i = 0; i < kWidth; ++i) total += static_cast<double>(sum[i]);
  }
  return total;
}

void unit_squares(Exec&, const UnitBlock& b, const float* x, float* squares) {
  const auto units = static_cast<std::ptrdiff_t>(b.units);
  const auto inner = static_cast<std::ptrdiff_t>(b.inner);
  const auto outer = static_cast<std::ptrdiff_t>(b.outer);
  if (inner == 1) {
    for_each_vector(units, [&](std::ptrdiff_t u, auto... t) {
      reg sum = set1(0);
      for (std::ptrdiff_t o = 0; o < outer; ++o) {
        const reg v = load(x + o * units + u, t...);
        sum = fma(v, v, sum);
      }
      store(squares + u, load(squares + u, t...) + sum, t...);
    });
    return;
  }
  for (std::ptrdiff_t o = 0; o < outer; ++o)
    for (std::ptrdiff_t u = 0; u < units; ++u)
      squares[u] += squares_of(x + (o * units + u) * inner, inner);
}

void scale_units(Exec&, const UnitBlock& b, const float* factor, float* x) {
  const auto units = static_cast<std::ptrdiff_t>(b.units);
  const auto inner = static_cast<std::ptrdiff_t>(b.inner);
  for (std::ptrdiff_t o = 0; o < static_cast<std::ptrdiff_t>(b.outer); ++o) {
    float* row = x + o * units * inner;
    if (inner == 1) {
      for_each_vector(units, [&](std::ptrdiff_t u, auto... t) {
        store(row + u, load(row + u, t...) * load(factor + u, t...), t...);
      });
      continue;
    }
    for (std::ptrdiff_t u = 0; u < units; ++u) {
      const reg f = set1(factor[u]);
      for_each_vector(inner, [&](std::ptrdiff_t i, auto... t) {
        float* at = row + u * inner + i;
        store(at, load(at, t...) * f, t...);
      });
    }
  }
}

}  // namespace kern::cpu::KERN_ISA
