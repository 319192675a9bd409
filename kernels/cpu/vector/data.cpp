// Moving data: batches out of a stored table, sums of shards.

#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

KERN_INLINE reg read(const std::uint8_t* p) { return to_float(load_u8(p)); }
KERN_INLINE reg read(const float* p) { return load(p); }

/// Rows of a batch lie at random places, which no hardware prefetcher can guess.
template <class S>
KERN_INLINE void prefetch_row(const S* row, int cols) {
  const char* p = reinterpret_cast<const char*>(row);
  for (std::size_t i = 0; i < sizeof(S) * static_cast<std::size_t>(cols); i += 64)
    __builtin_prefetch(p + i);
}

template <class S>
void gather_rows(const GatherArgs<float>& g, const S* src) {
  constexpr int kAhead = 4;
  const std::ptrdiff_t cols = g.cols;
  const int whole = g.cols / kWidth * kWidth;
  for (int i = 0; i < g.count; ++i) {
    if (i + kAhead < g.count) prefetch_row(src + g.rows[i + kAhead] * cols, g.cols);
    const S* from = src + g.rows[i] * cols;
    float* to = g.out + i * cols;
    for (int j = 0; j < whole; j += kWidth)
      store(to + j, (read(from + j) - load(g.shift + j)) * load(g.scale + j));
    for (int j = whole; j < g.cols; ++j)
      to[j] = (static_cast<float>(from[j]) - g.shift[j]) * g.scale[j];
  }
}

}  // namespace

void gather(Exec&, const GatherArgs<float>& g) {
  if (g.u8)
    gather_rows(g, g.u8);
  else
    gather_rows(g, g.f32);
}

void accumulate(Exec&, std::size_t count, const float* src, float* dst) {
  for_each_vector(static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t i, auto... t) {
    store(dst + i, load(dst + i, t...) + load(src + i, t...), t...);
  });
}

void scaled_copy(Exec&, std::size_t count, float factor, const float* src, float* dst) {
  for_each_vector(static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t i, auto... t) {
    store(dst + i, set1(factor) * load(src + i, t...), t...);
  });
}

void blend(Exec&, std::size_t count, float rate, const float* src, float* dst) {
  for_each_vector(static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t i, auto... t) {
    const reg old = load(dst + i, t...);
    store(dst + i, fma(set1(rate), load(src + i, t...) - old, old), t...);
  });
}

}  // namespace kern::cpu::KERN_ISA
