#include <algorithm>
#include <cmath>

#include "kernels/ref/activation.h"
#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
void column_moments(Exec&, int rows, int cols, const T* x, T* mean, T* variance) {
  for (std::ptrdiff_t j = 0; j < cols; ++j) {
    T sum = 0, squares = 0;
    for (std::ptrdiff_t i = 0; i < rows; ++i) sum += x[i * cols + j];
    mean[j] = sum / static_cast<T>(rows);
    for (std::ptrdiff_t i = 0; i < rows; ++i) {
      const T distance = x[i * cols + j] - mean[j];
      squares += distance * distance;
    }
    variance[j] = squares / static_cast<T>(rows);
  }
}

template <class T>
void batch_norm_forward(Exec&, const BatchNormArgs<T>& a) {
  for (std::ptrdiff_t j = 0; j < a.cols; ++j) {
    const T inverse = T(1) / std::sqrt(a.variance[j] + static_cast<T>(a.epsilon));
    for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
      const T normal = (a.x[i * a.cols + j] - a.mean[j]) * inverse;
      a.y[i * a.cols + j] = activate(a.activation, normal * a.scale[j] + a.shift[j]);
    }
  }
}

template <class T>
void batch_norm_backward(Exec&, const BatchNormGradientArgs<T>& a) {
  for (std::ptrdiff_t j = 0; j < a.cols; ++j) {
    const T inverse = T(1) / std::sqrt(a.variance[j] + static_cast<T>(a.epsilon));
    const auto normal = [&](std::ptrdiff_t at) { return (a.x[at] - a.mean[j]) * inverse; };
    T sum = 0;
    for (std::ptrdiff_t i = 0; i < a.rows; ++i)
      sum += a.dy[i * a.cols + j] * normal(i * a.cols + j);
    a.dscale[j] = sum;
    if (!a.dx) continue;
    const T rows = static_cast<T>(a.rows);
    for (std::ptrdiff_t at = j; at < std::ptrdiff_t(a.rows) * a.cols; at += a.cols) {
      const T common = (a.dshift[j] + normal(at) * a.dscale[j]) / rows;
      a.dx[at] = a.scale[j] * inverse * (a.dy[at] - common);
    }
  }
}

template <class T>
void layer_norm_forward(Exec&, const LayerNormArgs<T>& a) {
  const T cols = static_cast<T>(a.cols);
  for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
    const T* x = a.x + i * a.cols;
    T sum = 0, squares = 0;
    for (std::ptrdiff_t j = 0; j < a.cols; ++j) sum += x[j];
    const T mean = sum / cols;
    for (std::ptrdiff_t j = 0; j < a.cols; ++j) squares += (x[j] - mean) * (x[j] - mean);
    a.mean[i] = mean;
    a.inverse[i] = T(1) / std::sqrt(squares / cols + static_cast<T>(a.epsilon));
    for (std::ptrdiff_t j = 0; j < a.cols; ++j) {
      const T normal = (x[j] - mean) * a.inverse[i];
      a.y[i * a.cols + j] = activate(a.activation, normal * a.scale[j] + a.shift[j]);
    }
  }
}

template <class T>
void layer_norm_backward(Exec&, const LayerNormGradientArgs<T>& a) {
  const T cols = static_cast<T>(a.cols);
  std::fill_n(a.dscale, a.cols, T(0));
  for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
    const T *x = a.x + i * a.cols, *dy = a.dy + i * a.cols;
    const auto normal = [&](std::ptrdiff_t j) { return (x[j] - a.mean[i]) * a.inverse[i]; };
    T sum = 0, product = 0;
    for (std::ptrdiff_t j = 0; j < a.cols; ++j) {
      a.dscale[j] += dy[j] * normal(j);
      sum += dy[j] * a.scale[j];
      product += dy[j] * a.scale[j] * normal(j);
    }
    if (!a.dx) continue;
    for (std::ptrdiff_t j = 0; j < a.cols; ++j) {
      const T common = (sum + normal(j) * product) / cols;
      a.dx[i * a.cols + j] = a.inverse[i] * (dy[j] * a.scale[j] - common);
    }
  }
}

template void column_moments(Exec&, int, int, const float*, float*, float*);
template void column_moments(Exec&, int, int, const double*, double*, double*);
template void batch_norm_forward(Exec&, const BatchNormArgs<float>&);
template void batch_norm_forward(Exec&, const BatchNormArgs<double>&);
template void batch_norm_backward(Exec&, const BatchNormGradientArgs<float>&);
template void batch_norm_backward(Exec&, const BatchNormGradientArgs<double>&);
template void layer_norm_forward(Exec&, const LayerNormArgs<float>&);
template void layer_norm_forward(Exec&, const LayerNormArgs<double>&);
template void layer_norm_backward(Exec&, const LayerNormGradientArgs<float>&);
template void layer_norm_backward(Exec&, const LayerNormGradientArgs<double>&);

}  // namespace kern::ref
