#include "kernels/ref/activation.h"

#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
void bias_activation(Exec&, int rows, int cols, const T* bias, Activation act, T* y) {
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    for (std::ptrdiff_t j = 0; j < cols; ++j) {
      T& v = y[i * cols + j];
      v = activate(act, v + (bias ? bias[j] : T(0)));
    }
  }
}

template <class T>
void activate(Exec&, std::size_t count, Activation act, const T* x, T* y) {
  for (std::size_t i = 0; i < count; ++i) y[i] = activate(act, x[i]);
}

template <class T>
void activation_backward(Exec&, int rows, int cols, Activation act, const T* y, T* dy, T* dbias) {
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(rows) * cols; ++i)
    dy[i] *= activation_slope(act, y[i]);
  if (!dbias) return;
  for (std::ptrdiff_t j = 0; j < cols; ++j) {
    T sum = 0;
    for (std::ptrdiff_t i = 0; i < rows; ++i) sum += dy[i * cols + j];
    dbias[j] = sum;
  }
}

template <class T>
void add_activation(Exec&, int rows, int cols, const T* a, const T* b, Activation act, T* y) {
  for (std::ptrdiff_t i = 0; i < std::ptrdiff_t(rows) * cols; ++i)
    y[i] = activate(act, a[i] + b[i]);
}

template void add_activation(Exec&, int, int, const float*, const float*, Activation, float*);
template void add_activation(Exec&, int, int, const double*, const double*, Activation, double*);
template void activate(Exec&, std::size_t, Activation, const float*, float*);
template void activate(Exec&, std::size_t, Activation, const double*, double*);
template void bias_activation(Exec&, int, int, const float*, Activation, float*);
template void bias_activation(Exec&, int, int, const double*, Activation, double*);
template void activation_backward(Exec&, int, int, Activation, const float*, float*, float*);
template void activation_backward(Exec&, int, int, Activation, const double*, double*, double*);

}  // namespace kern::ref
