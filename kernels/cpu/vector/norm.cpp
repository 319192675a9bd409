// Normalisation: moments, the map and its gradient, kWidth columns at a time.

#include "kernels/cpu/vector/activate.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// The sum of term(row) over the rows. Four partial sums hide the latency of an addition, and short
/// blocks keep long sums accurate; the order depends on `rows` alone.
template <class Term>
KERN_INLINE reg sum_rows(int rows, Term term) {
  constexpr int kBlock = 256;
  reg total = set1(0);
  for (int from = 0; from < rows; from += kBlock) {
    const int to = rows - from < kBlock ? rows : from + kBlock;
    reg a = set1(0), b = set1(0), c = set1(0), d = set1(0);
    int i = from;
    for (; i + 4 <= to; i += 4) {
      a = a + term(i);
      b = b + term(i + 1);
      c = c + term(i + 2);
      d = d + term(i + 3);
    }
    for (; i < to; ++i) a = a + term(i);
    total = total + ((a + b) + (c + d));
  }
  return total;
}

KERN_INLINE reg inverse_deviation(reg variance, double epsilon) {
  return set1(1) / square_root(variance + set1(static_cast<float>(epsilon)));
}

template <class Act>
void batch_norm(const BatchNormArgs<float>& a) {
  for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) {
    const reg mean = load(a.mean + j, t...), shift = load(a.shift + j, t...);
    const reg factor =
        load(a.scale + j, t...) * inverse_deviation(load(a.variance + j, t...), a.epsilon);
    const float* x = a.x + j;
    float* y = a.y + j;
    for (int i = 0; i < a.rows; ++i, x += a.cols, y += a.cols)
      store(y, Act::forward(fma(load(x, t...) - mean, factor, shift)), t...);
  });
}

/// The same value in every lane that `t` keeps, 0 in the others.
template <class... T>
KERN_INLINE reg lanes_of(float value, T... t) {
  float lanes[kWidth];
  store(lanes, set1(value));
  return load(lanes, t...);
}

template <class Act>
void layer_norm(const LayerNormArgs<float>& a) {
  const float share = 1.0f / static_cast<float>(a.cols);
  for (int i = 0; i < a.rows; ++i) {
    const float* x = a.x + std::ptrdiff_t(i) * a.cols;
    float* y = a.y + std::ptrdiff_t(i) * a.cols;
    reg sum = set1(0), squares = set1(0);
    for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) { sum = sum + load(x + j, t...); });
    const float mean = share * sum_lanes(sum);
    for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) {
      const reg distance = load(x + j, t...) - lanes_of(mean, t...);
      squares = fma(distance, distance, squares);
    });
    a.mean[i] = mean;
    a.inverse[i] = inverse_deviation(set1(share * sum_lanes(squares)), a.epsilon)[0];
    const reg center = set1(mean), inverse = set1(a.inverse[i]);
    for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) {
      const reg normal = (load(x + j, t...) - center) * inverse;
      store(y + j, Act::forward(fma(normal, load(a.scale + j, t...), load(a.shift + j, t...))),
            t...);
    });
  }
}

}  // namespace

void column_moments(Exec&, int rows, int cols, const float* x, float* mean, float* variance) {
  const reg share = set1(1.0f / static_cast<float>(rows));
  for_each_vector(cols, [&](std::ptrdiff_t j, auto... t) {
    const auto at = [&](int i) __attribute__((always_inline)) {
      return load(x + j + std::ptrdiff_t(i) * cols, t...);
    };
    const reg center = share * sum_rows(rows, at);
    const reg squares = sum_rows(
        rows, [&](int i) __attribute__((always_inline)) {
          const reg distance = at(i) - center;
          return distance * distance;
        });
    store(mean + j, center, t...);
    store(variance + j, share * squares, t...);
  });
}

void batch_norm_forward(Exec&, const BatchNormArgs<float>& args) {
  with_activation(args.activation, [&](auto act) { batch_norm<decltype(act)>(args); });
}

void batch_norm_backward(Exec&, const BatchNormGradientArgs<float>& a) {
  const reg share = set1(1.0f / static_cast<float>(a.rows));
  for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) {
    const reg mean = load(a.mean + j, t...);
    const reg inverse = inverse_deviation(load(a.variance + j, t...), a.epsilon);
    const auto normal = [&](std::ptrdiff_t at) __attribute__((always_inline)) {
      return (load(a.x + at, t...) - mean) * inverse;
    };
    const reg dscale = sum_rows(
        a.rows, [&](int i) __attribute__((always_inline)) {
          const std::ptrdiff_t at = j + std::ptrdiff_t(i) * a.cols;
          return load(a.dy + at, t...) * normal(at);
        });
    store(a.dscale + j, dscale, t...);
    if (!a.dx) return;
    const reg factor = load(a.scale + j, t...) * inverse;
    const reg constant = share * load(a.dshift + j, t...), slope = share * dscale;
    for (std::ptrdiff_t i = 0, at = j; i < a.rows; ++i, at += a.cols)
      store(a.dx + at, factor * (load(a.dy + at, t...) - fma(normal(at), slope, constant)), t...);
  });
}

void layer_norm_forward(Exec&, const LayerNormArgs<float>& args) {
  with_activation(args.activation, [&](auto act) { layer_norm<decltype(act)>(args); });
}

void layer_norm_backward(Exec&, const LayerNormGradientArgs<float>& a) {
  const float share = 1.0f / static_cast<float>(a.cols);
  for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) { store(a.dscale + j, set1(0), t...); });
  for (int i = 0; i < a.rows; ++i) {
    const float *x = a.x + std::ptrdiff_t(i) * a.cols, *dy = a.dy + std::ptrdiff_t(i) * a.cols;
    const reg center = set1(a.mean[i]), inverse = set1(a.inverse[i]);
    reg sum = set1(0), product = set1(0);
    for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) {
      const reg normal = (load(x + j, t...) - center) * inverse, d = load(dy + j, t...);
      store(a.dscale + j, fma(d, normal, load(a.dscale + j, t...)), t...);
      const reg g = d * load(a.scale + j, t...);
      sum = sum + g;
      product = fma(g, normal, product);
    });
    if (!a.dx) continue;
    const reg constant = set1(share * sum_lanes(sum)), slope = set1(share * sum_lanes(product));
    float* dx = a.dx + std::ptrdiff_t(i) * a.cols;
    for_each_vector(a.cols, [&](std::ptrdiff_t j, auto... t) {
      const reg normal = (load(x + j, t...) - center) * inverse;
      const reg g = load(dy + j, t...) * load(a.scale + j, t...);
      store(dx + j, inverse * (g - fma(normal, slope, constant)), t...);
    });
  }
}

}  // namespace kern::cpu::KERN_ISA
