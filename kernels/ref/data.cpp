#include <cstring>

#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
void gather(Exec&, const GatherArgs<T>& g) {
  for (std::ptrdiff_t i = 0; i < g.count; ++i) {
    const std::ptrdiff_t from = std::ptrdiff_t(g.rows[i]) * g.cols, to = i * g.cols;
    for (std::ptrdiff_t f = 0; f < g.cols; ++f) {
      const T v = g.u8 ? T(g.u8[from + f]) : T(g.f32[from + f]);
      g.out[to + f] = (v - T(g.shift[f])) * T(g.scale[f]);
    }
  }
}

template <class T>
void gather_images(Exec&, const GatherImagesArgs<T>& a) {
  const GatherArgs<T>& g = a.rows;
  for (std::ptrdiff_t i = 0; i < g.count; ++i) {
    const ImageMove& move = a.moves[i];
    for (std::ptrdiff_t f = 0; f < g.cols; ++f) {
      std::ptrdiff_t y = f / a.channels / a.width - move.down;
      std::ptrdiff_t x = f / a.channels % a.width - move.right;
      const bool inside = y >= 0 && y < a.height && x >= 0 && x < a.width;
      if (move.upside_down) y = a.height - 1 - y;
      if (move.mirror) x = a.width - 1 - x;
      const std::ptrdiff_t from =
          g.rows[i] * std::ptrdiff_t(g.cols) + (y * a.width + x) * a.channels + f % a.channels;
      const T v = !inside ? T(0) : g.u8 ? T(g.u8[from]) : T(g.f32[from]);
      g.out[i * g.cols + f] = (v - T(g.shift[f])) * T(g.scale[f]);
    }
  }
}

void copy_rows(Exec&, const CopyRowsArgs& a) {
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  const std::size_t bytes = a.words * kWord;
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.count); ++i) {
    std::memcpy(static_cast<std::byte*>(a.out) + i * bytes,
                static_cast<const std::byte*>(a.table) + a.rows[i] * bytes, bytes);
  }
}

template <class T>
void accumulate(Exec&, std::size_t count, const T* src, T* dst) {
  for (std::size_t i = 0; i < count; ++i) dst[i] += src[i];
}

template <class T>
void scaled_copy(Exec&, std::size_t count, T factor, const T* src, T* dst) {
  for (std::size_t i = 0; i < count; ++i) dst[i] = factor * src[i];
}

template <class T>
void blend(Exec&, std::size_t count, T rate, const T* src, T* dst) {
  for (std::size_t i = 0; i < count; ++i) dst[i] += rate * (src[i] - dst[i]);
}

template void gather(Exec&, const GatherArgs<float>&);
template void gather(Exec&, const GatherArgs<double>&);
template void gather_images(Exec&, const GatherImagesArgs<float>&);
template void gather_images(Exec&, const GatherImagesArgs<double>&);
template void accumulate(Exec&, std::size_t, const float*, float*);
template void accumulate(Exec&, std::size_t, const double*, double*);
template void scaled_copy(Exec&, std::size_t, float, const float*, float*);
template void scaled_copy(Exec&, std::size_t, double, const double*, double*);
template void blend(Exec&, std::size_t, float, const float*, float*);
template void blend(Exec&, std::size_t, double, const double*, double*);

}  // namespace kern::ref
