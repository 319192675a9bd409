// Max and average pooling over NHWC images, kWidth channels at a time.

#include "kernels/cpu/vector/simd.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// The positions of one window that lie inside the image.
struct Span {
  int first_y, last_y, first_x, last_x;  ///< kernel rows and columns, last exclusive
  std::ptrdiff_t corner;  ///< input pixel under kernel position (0, 0); may lie outside
};

Span span_of(const Window& w, int image, int oy, int ox) {
  const int y = oy * w.stride_h - w.pad_h, x = ox * w.stride_w - w.pad_w;
  const auto low = [](int at) { return at < 0 ? -at : 0; };
  const auto high = [](int at, int kernel, int size) {
    return at + kernel > size ? size - at : kernel;
  };
  return {low(y), high(y, w.kernel_h, w.in_h), low(x), high(x, w.kernel_w, w.in_w),
          (std::ptrdiff_t(image) * w.in_h + y) * w.in_w + x};
}

/// f(output pixel, span) for every window.
template <class F>
KERN_INLINE void for_each_window(const Window& w, F f) {
  std::ptrdiff_t out = 0;
  for (int b = 0; b < w.batch; ++b)
    for (int oy = 0; oy < w.out_h; ++oy)
      for (int ox = 0; ox < w.out_w; ++ox, ++out) f(out, span_of(w, b, oy, ox));
}

/// f(kernel position, input pixel) for every position of a span, row by row.
template <class F>
KERN_INLINE void for_each_position(const Window& w, const Span& s, F f) {
  for (int ky = s.first_y; ky < s.last_y; ++ky)
    for (int kx = s.first_x; kx < s.last_x; ++kx)
      f(ky * w.kernel_w + kx, s.corner + std::ptrdiff_t(ky) * w.in_w + kx);
}

KERN_INLINE void put(std::uint8_t* p, ireg v) { store_u8(p, v); }
KERN_INLINE void put(std::uint8_t* p, ireg v, int count) {
  std::uint8_t bytes[kWidth];
  store_u8(bytes, v);
  __builtin_memcpy(p, bytes, static_cast<std::size_t>(count));
}
KERN_INLINE ireg get(const std::uint8_t* p) { return load_u8(p); }
KERN_INLINE ireg get(const std::uint8_t* p, int count) {
  std::uint8_t bytes[kWidth] = {};
  __builtin_memcpy(bytes, p, static_cast<std::size_t>(count));
  return load_u8(bytes);
}

}  // namespace

void maxpool_forward(Exec&, const Window& w, const float* x, float* y, std::uint8_t* argmax) {
  const std::ptrdiff_t channels = w.in_c;
  const int left = w.in_c % kWidth;
  for_each_window(w, [&](std::ptrdiff_t out, const Span& s) {
    for_each_vector(channels, [&](std::ptrdiff_t c, auto... t) {
      reg best = set1(-__builtin_inff());
      ireg where = ireg{} + (s.first_y * w.kernel_w + s.first_x);
      for_each_position(w, s, [&](int k, std::ptrdiff_t in) {
        const reg v = load(x + in * channels + c, t...);
        const auto better = (v > best) | ((v != v) & (best == best));
        where = better ? ireg{} + k : where;
        best = better ? v : best;
      });
      store(y + out * channels + c, best, t...);
      if constexpr (sizeof...(t) == 0)
        put(argmax + out * channels + c, where);
      else
        put(argmax + out * channels + c, where, left);
    });
  });
}

namespace {

/// Each window's gradient to its positions: added to what is there, or, where every input lies
/// under exactly one window, written.
template <bool Exact>
void scatter(const Window& w, const float* dy, const std::uint8_t* argmax, float* dx) {
  const std::ptrdiff_t channels = w.in_c;
  const int left = w.in_c % kWidth;
  for_each_window(w, [&](std::ptrdiff_t out, const Span& s) {
    for_each_vector(channels, [&](std::ptrdiff_t c, auto... t) {
      const reg d = load(dy + out * channels + c, t...);
      ireg where;
      if constexpr (sizeof...(t) == 0)
        where = get(argmax + out * channels + c);
      else
        where = get(argmax + out * channels + c, left);
      for_each_position(w, s, [&](int k, std::ptrdiff_t in) {
        float* to = dx + in * channels + c;
        const reg old = Exact ? set1(0) : load(to, t...);
        store(to, where == ireg{} + k ? (Exact ? d : old + d) : old, t...);
      });
    });
  });
}

}  // namespace

void avgpool_forward(Exec&, const Window& w, const float* x, float* y) {
  const std::ptrdiff_t channels = w.in_c;
  const reg share = set1(1.0f / static_cast<float>(w.kernel_h * w.kernel_w));
  for_each_window(w, [&](std::ptrdiff_t out, const Span& s) {
    for_each_vector(channels, [&](std::ptrdiff_t c, auto... t) {
      reg sum = set1(0);
      for_each_position(
          w, s, [&](int, std::ptrdiff_t in) { sum = sum + load(x + in * channels + c, t...); });
      store(y + out * channels + c, sum * share, t...);
    });
  });
}

void avgpool_backward(Exec&, const Window& w, const float* dy, float* dx) {
  const std::ptrdiff_t channels = w.in_c;
  const reg share = set1(1.0f / static_cast<float>(w.kernel_h * w.kernel_w));
  __builtin_memset(dx, 0,
                   sizeof(float) * static_cast<std::size_t>(w.batch) * w.in_h * w.in_w * w.in_c);
  for_each_window(w, [&](std::ptrdiff_t out, const Span& s) {
    for_each_vector(channels, [&](std::ptrdiff_t c, auto... t) {
      const reg d = share * load(dy + out * channels + c, t...);
      for_each_position(w, s, [&](int, std::ptrdiff_t in) {
        float* to = dx + in * channels + c;
        store(to, load(to, t...) + d, t...);
      });
    });
  });
}

void maxpool_backward(Exec&, const Window& w, const float* dy, const std::uint8_t* argmax,
                      float* dx) {
  if (w.batch == 0) return;
  const bool exact = w.stride_h == w.kernel_h && w.stride_w == w.kernel_w && w.pad_h == 0 &&
                     w.pad_w == 0 && w.out_h * w.stride_h == w.in_h &&
                     w.out_w * w.stride_w == w.in_w;
  if (exact) return scatter<true>(w, dy, argmax, dx);
  __builtin_memset(dx, 0,
                   sizeof(float) * static_cast<std::size_t>(w.batch) * w.in_h * w.in_w * w.in_c);
  scatter<false>(w, dy, argmax, dx);
}

}  // namespace kern::cpu::KERN_ISA
