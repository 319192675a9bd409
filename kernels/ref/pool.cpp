#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/ref/ref.h"
#include "kernels/ref/window.h"

namespace kern::ref {

template <class T>
void maxpool_forward(Exec&, const Window& g, const T* x, T* y, std::uint8_t* argmax) {
  const std::ptrdiff_t channels = g.in_c, count = output_pixels(g) * channels;
  constexpr std::uint8_t kNone = 255;
  std::fill_n(y, count, -std::numeric_limits<T>::infinity());
  std::fill_n(argmax, count, kNone);
  for_each_tap(g, [&](auto out, auto k, auto in) {
    for (std::ptrdiff_t c = 0; c < channels; ++c) {
      const T v = x[in * channels + c];
      T& best = y[out * channels + c];
      std::uint8_t& where = argmax[out * channels + c];
      if (where != kNone && !(v > best) && !(std::isnan(v) && !std::isnan(best))) continue;
      best = v;
      where = static_cast<std::uint8_t>(k);
    }
  });
}

template <class T>
void maxpool_backward(Exec&, const Window& g, const T* dy, const std::uint8_t* argmax, T* dx) {
  const std::ptrdiff_t channels = g.in_c;
  std::fill_n(dx, input_pixels(g) * channels, T(0));
  for_each_tap(g, [&](auto out, auto k, auto in) {
    for (std::ptrdiff_t c = 0; c < channels; ++c)
      if (argmax[out * channels + c] == k) dx[in * channels + c] += dy[out * channels + c];
  });
}

template <class T>
void avgpool_forward(Exec&, const Window& g, const T* x, T* y) {
  const std::ptrdiff_t channels = g.in_c, count = output_pixels(g) * channels;
  std::fill_n(y, count, T(0));
  for_each_tap(g, [&](auto out, auto, auto in) {
    for (std::ptrdiff_t c = 0; c < channels; ++c) y[out * channels + c] += x[in * channels + c];
  });
  for (std::ptrdiff_t i = 0; i < count; ++i) y[i] /= static_cast<T>(g.kernel_h * g.kernel_w);
}

template <class T>
void avgpool_backward(Exec&, const Window& g, const T* dy, T* dx) {
  const std::ptrdiff_t channels = g.in_c;
  std::fill_n(dx, input_pixels(g) * channels, T(0));
  for_each_tap(g, [&](auto out, auto, auto in) {
    for (std::ptrdiff_t c = 0; c < channels; ++c)
      dx[in * channels + c] += dy[out * channels + c] / static_cast<T>(g.kernel_h * g.kernel_w);
  });
}

template void avgpool_forward(Exec&, const Window&, const float*, float*);
template void avgpool_forward(Exec&, const Window&, const double*, double*);
template void avgpool_backward(Exec&, const Window&, const float*, float*);
template void avgpool_backward(Exec&, const Window&, const double*, double*);
template void maxpool_forward(Exec&, const Window&, const float*, float*, std::uint8_t*);
template void maxpool_forward(Exec&, const Window&, const double*, double*, std::uint8_t*);
template void maxpool_backward(Exec&, const Window&, const float*, const std::uint8_t*, float*);
template void maxpool_backward(Exec&, const Window&, const double*, const std::uint8_t*, double*);

}  // namespace kern::ref
