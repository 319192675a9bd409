#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
LossSums softmax_cross_entropy(Exec&, int rows, int classes, const T* logits,
                               const std::int32_t* labels, T gradient_scale, T* dlogits) {
  LossSums sums;
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    const T* z = logits + i * classes;
    const bool finite = std::all_of(z, z + classes, [](T v) { return std::isfinite(v); });
    const T poison = finite ? T(0) : std::numeric_limits<T>::quiet_NaN();
    const T* top = std::max_element(z, z + classes);
    T sum = poison;
    for (int c = 0; c < classes; ++c) sum += std::exp(z[c] - *top);
    sums.loss += static_cast<double>(std::log(sum) + *top - z[labels[i]]);
    sums.correct += finite && top - z == labels[i];
    if (!dlogits) continue;
    for (int c = 0; c < classes; ++c)
      dlogits[i * classes + c] = (std::exp(z[c] - *top) / sum - T(c == labels[i])) * gradient_scale;
  }
  return sums;
}

template <class T>
LossSums mean_squared_error(Exec&, int rows, int cols, const T* prediction, const float* target,
                            T gradient_scale, T* dprediction) {
  LossSums sums;
  for (std::ptrdiff_t i = 0; i < rows; ++i) {
    T row = 0;
    for (std::ptrdiff_t j = i * cols; j < (i + 1) * cols; ++j) {
      const T d = prediction[j] - T(target[j]);
      row += d * d;
      if (dprediction) dprediction[j] = T(2) * d / T(cols) * gradient_scale;
    }
    sums.loss += static_cast<double>(row) / cols;
  }
  return sums;
}

template LossSums softmax_cross_entropy(Exec&, int, int, const float*, const std::int32_t*, float,
                                        float*);
template LossSums softmax_cross_entropy(Exec&, int, int, const double*, const std::int32_t*, double,
                                        double*);
template LossSums mean_squared_error(Exec&, int, int, const float*, const float*, float, float*);
template LossSums mean_squared_error(Exec&, int, int, const double*, const float*, double, double*);

}  // namespace kern::ref
