// Moving data: batches out of a stored table, sums of shards.

#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

KERN_INLINE reg read(const std::uint8_t* p) { return to_float(load_u8(p)); }
KERN_INLINE reg read(const float* p) { return load(p); }

/// Rows of a batch lie at random places, which no hardware prefetcher can guess. To the second
/// level: the first one would have to make room for several rows.
template <class S>
KERN_INLINE void prefetch_row(const S* row, int cols) {
  const char* p = reinterpret_cast<const char*>(row);
  for (std::size_t i = 0; i < sizeof(S) * static_cast<std::size_t>(cols); i += 64)
    __builtin_prefetch(p + i, 0, 2);
}

/// `count` numbers in a row; places of `shift` and `scale` as of `to`.
template <class S>
void scale_run(const S* from, const float* shift, const float* scale, std::ptrdiff_t count,
               float* to) {
  const std::ptrdiff_t whole = count / kWidth * kWidth;
  for (std::ptrdiff_t j = 0; j < whole; j += kWidth)
    store(to + j, (read(from + j) - load(shift + j)) * load(scale + j));
  for (std::ptrdiff_t j = whole; j < count; ++j)
    to[j] = (static_cast<float>(from[j]) - shift[j]) * scale[j];
}

template <class S>
void gather_rows(const GatherArgs<float>& g, const S* src) {
  constexpr int kAhead = 4;
  const std::ptrdiff_t cols = g.cols;
  for (int i = 0; i < g.count; ++i) {
    if (i + kAhead < g.count) prefetch_row(src + g.rows[i + kAhead] * cols, g.cols);
    scale_run(src + g.rows[i] * cols, g.shift, g.scale, cols, g.out + i * cols);
  }
}

void scale_nothing(const float* shift, const float* scale, std::ptrdiff_t count, float* to) {
  for (std::ptrdiff_t j = 0; j < count; ++j) to[j] = (0.0f - shift[j]) * scale[j];
}

/// One row of an image's pixels, from the row `from` of the table's image.
template <class S>
void move_row(const GatherImagesArgs<float>& a, const ImageMove& move, const S* from,
              const float* shift, const float* scale, float* to) {
  const std::ptrdiff_t c = a.channels;
  const int first = move.right > 0 ? move.right : 0;
  const int end = move.right < 0 ? a.width + move.right : a.width;
  if (first >= end) return scale_nothing(shift, scale, a.width * c, to);
  scale_nothing(shift, scale, first * c, to);
  if (!move.mirror) {
    scale_run(from + (first - move.right) * c, shift + first * c, scale + first * c,
              (end - first) * c, to + first * c);
  } else {
    for (int x = first; x < end; ++x) {
      const S* pixel = from + (a.width - 1 - (x - move.right)) * c;
      for (std::ptrdiff_t j = 0; j < c; ++j)
        to[x * c + j] = (static_cast<float>(pixel[j]) - shift[x * c + j]) * scale[x * c + j];
    }
  }
  scale_nothing(shift + end * c, scale + end * c, (a.width - end) * c, to + end * c);
}

template <class S>
void gather_moved(const GatherImagesArgs<float>& a, const S* src) {
  const GatherArgs<float>& g = a.rows;
  const std::ptrdiff_t cols = g.cols, row = std::ptrdiff_t(a.width) * a.channels;
  for (int i = 0; i < g.count; ++i) {
    const ImageMove& move = a.moves[i];
    const S* image = src + g.rows[i] * cols;
    float* out = g.out + i * cols;
    for (int y = 0; y < a.height; ++y, out += row) {
      const float *shift = g.shift + y * row, *scale = g.scale + y * row;
      const int from = y - move.down;
      if (from < 0 || from >= a.height)
        scale_nothing(shift, scale, row, out);
      else
        move_row(a, move, image + (move.upside_down ? a.height - 1 - from : from) * row, shift,
                 scale, out);
    }
  }
}

}  // namespace

void gather(Exec&, const GatherArgs<float>& g) {
  if (g.u8)
    gather_rows(g, g.u8);
  else
    gather_rows(g, g.f32);
}

void gather_images(Exec&, const GatherImagesArgs<float>& a) {
  if (a.rows.u8)
    gather_moved(a, a.rows.u8);
  else
    gather_moved(a, a.rows.f32);
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
