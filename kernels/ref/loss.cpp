#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/ref/ref.h"

namespace kern::ref {

template <class T>
LossSums softmax_cross_entropy(Exec&, const CrossEntropyArgs<T>& a) {
  LossSums sums;
  const T even = static_cast<T>(a.smoothing / a.classes), sharp = static_cast<T>(1 - a.smoothing);
  const auto weight = [&](std::ptrdiff_t c) {
    return a.class_weights ? static_cast<T>(a.class_weights[c]) : T(1);
  };
  for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
    const T* z = a.logits + i * a.classes;
    const auto target = [&](std::ptrdiff_t c) {
      return weight(c) * (even + (c == a.labels[i] ? sharp : T(0)));
    };
    const bool finite = std::all_of(z, z + a.classes, [](T v) { return std::isfinite(v); });
    const T poison = finite ? T(0) : std::numeric_limits<T>::quiet_NaN();
    const T* top = std::max_element(z, z + a.classes);
    T sum = poison, mass = 0, loss = 0;
    for (int c = 0; c < a.classes; ++c) sum += std::exp(z[c] - *top);
    for (int c = 0; c < a.classes; ++c) {
      mass += target(c);
      if (target(c) != T(0)) loss += target(c) * (std::log(sum) + *top - z[c]);
    }
    sums.loss += static_cast<double>(loss + poison);
    sums.correct += finite && top - z == a.labels[i];
    if (!a.dlogits) continue;
    for (int c = 0; c < a.classes; ++c)
      a.dlogits[i * a.classes + c] =
          (std::exp(z[c] - *top) / sum * mass - target(c)) * a.gradient_scale;
  }
  return sums;
}

template <class T>
LossSums binary_cross_entropy(Exec&, const BinaryCrossEntropyArgs<T>& a) {
  LossSums sums;
  for (int i = 0; i < a.rows; ++i) {
    const std::int32_t label = a.labels[i];
    const T z = std::isfinite(a.logits[i]) ? a.logits[i] : std::numeric_limits<T>::quiet_NaN();
    const T weight = a.class_weights ? static_cast<T>(a.class_weights[label]) : T(1);
    const T target = static_cast<T>(label * (1 - a.smoothing) + a.smoothing / 2);
    const T e = std::exp(-std::abs(z));
    const T row = weight * (std::max(z, T(0)) - z * target + std::log1p(e));
    sums.loss += static_cast<double>(std::isnan(z) ? z : row);
    sums.correct += (z > T(0) && label == 1) || (z <= T(0) && label == 0);
    if (!a.dlogits) continue;
    const T sigmoid = z > T(0) ? T(1) / (T(1) + e) : e / (T(1) + e);
    a.dlogits[i] = weight * (sigmoid - target) * a.gradient_scale;
  }
  return sums;
}

namespace {

/// A loss whose value(d) and slope(d) depend on the difference alone.
template <class T, class Value, class Slope>
LossSums difference_loss(const DifferenceLossArgs<T>& a, Value value, Slope slope) {
  LossSums sums;
  for (std::ptrdiff_t i = 0; i < a.rows; ++i) {
    T row = 0;
    for (std::ptrdiff_t j = i * a.cols; j < (i + 1) * a.cols; ++j) {
      const T d = a.prediction[j] - T(a.target[j]);
      row += value(d);
      if (a.dprediction) a.dprediction[j] = slope(d) / T(a.cols) * a.gradient_scale;
    }
    sums.loss += static_cast<double>(row) / a.cols;
  }
  return sums;
}

}  // namespace

template <class T>
LossSums mean_squared_error(Exec&, const DifferenceLossArgs<T>& a) {
  return difference_loss(
      a, [](T d) { return d * d; }, [](T d) { return T(2) * d; });
}

template <class T>
LossSums mean_absolute_error(Exec&, const DifferenceLossArgs<T>& a) {
  return difference_loss(
      a, [](T d) { return std::abs(d); },
      [](T d) { return d == T(0) || std::isnan(d) ? d : std::copysign(T(1), d); });
}

template <class T>
LossSums huber(Exec&, const DifferenceLossArgs<T>& a) {
  return difference_loss(
      a,
      [&](T d) {
        const T size = std::abs(d);
        return size > a.delta ? a.delta * (size - a.delta / T(2)) : d * d / T(2);
      },
      [&](T d) { return d > a.delta    ? a.delta
                        : d < -a.delta ? -a.delta
                                       : d; });
}

template LossSums softmax_cross_entropy(Exec&, const CrossEntropyArgs<float>&);
template LossSums softmax_cross_entropy(Exec&, const CrossEntropyArgs<double>&);
template LossSums binary_cross_entropy(Exec&, const BinaryCrossEntropyArgs<float>&);
template LossSums binary_cross_entropy(Exec&, const BinaryCrossEntropyArgs<double>&);
template LossSums mean_squared_error(Exec&, const DifferenceLossArgs<float>&);
template LossSums mean_squared_error(Exec&, const DifferenceLossArgs<double>&);
template LossSums mean_absolute_error(Exec&, const DifferenceLossArgs<float>&);
template LossSums mean_absolute_error(Exec&, const DifferenceLossArgs<double>&);
template LossSums huber(Exec&, const DifferenceLossArgs<float>&);
template LossSums huber(Exec&, const DifferenceLossArgs<double>&);

}  // namespace kern::ref
