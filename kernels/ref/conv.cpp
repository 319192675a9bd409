#include <algorithm>

#include "kernels/ref/activation.h"
#include "kernels/ref/ref.h"
#include "kernels/ref/window.h"

namespace kern::ref {

template <class T>
void conv_forward(Exec&, const Window& g, const T* x, const T* w, const T* bias, Activation act,
                  T* y) {
  const std::ptrdiff_t taps = kernel_positions(g), ic = g.in_c, oc = g.out_c;
  const std::ptrdiff_t part_in = ic / g.groups, part_out = oc / g.groups;
  std::fill_n(y, output_pixels(g) * oc, T(0));
  for_each_tap(g, [&](auto out, auto k, auto in) {
    for (std::ptrdiff_t o = 0; o < oc; ++o)
      for (std::ptrdiff_t c = 0; c < part_in; ++c)
        y[out * oc + o] +=
            x[in * ic + o / part_out * part_in + c] * w[(o * taps + k) * part_in + c];
  });
  for (std::ptrdiff_t i = 0; i < output_pixels(g) * oc; ++i)
    y[i] = activate(act, y[i] + (bias ? bias[i % oc] : T(0)));
}

template <class T>
void conv_backward_data(Exec&, const Window& g, const T* dy, const T* w, T* dx) {
  const std::ptrdiff_t taps = kernel_positions(g), ic = g.in_c, oc = g.out_c;
  const std::ptrdiff_t part_in = ic / g.groups, part_out = oc / g.groups;
  std::fill_n(dx, input_pixels(g) * ic, T(0));
  for_each_tap(g, [&](auto out, auto k, auto in) {
    for (std::ptrdiff_t o = 0; o < oc; ++o)
      for (std::ptrdiff_t c = 0; c < part_in; ++c)
        dx[in * ic + o / part_out * part_in + c] +=
            dy[out * oc + o] * w[(o * taps + k) * part_in + c];
  });
}

template <class T>
void conv_backward_weights(Exec&, const Window& g, const T* x, const T* dy, T* dw) {
  const std::ptrdiff_t taps = kernel_positions(g), ic = g.in_c, oc = g.out_c;
  const std::ptrdiff_t part_in = ic / g.groups, part_out = oc / g.groups;
  std::fill_n(dw, oc * taps * part_in, T(0));
  for_each_tap(g, [&](auto out, auto k, auto in) {
    for (std::ptrdiff_t o = 0; o < oc; ++o)
      for (std::ptrdiff_t c = 0; c < part_in; ++c)
        dw[(o * taps + k) * part_in + c] +=
            dy[out * oc + o] * x[in * ic + o / part_out * part_in + c];
  });
}

template void conv_forward(Exec&, const Window&, const float*, const float*, const float*,
                           Activation, float*);
template void conv_forward(Exec&, const Window&, const double*, const double*, const double*,
                           Activation, double*);
template void conv_backward_data(Exec&, const Window&, const float*, const float*, float*);
template void conv_backward_data(Exec&, const Window&, const double*, const double*, double*);
template void conv_backward_weights(Exec&, const Window&, const float*, const float*, float*);
template void conv_backward_weights(Exec&, const Window&, const double*, const double*, double*);

}  // namespace kern::ref
