// Bias, activation and their gradients: one pass over the rows.

#include "kernels/cpu/vector/activate.h"
#include "kernels/cpu/vector/vector.h"

namespace kern::cpu::KERN_ISA {
namespace {

template <class Act>
void forward(int rows, int cols, const float* bias, float* y) {
  if (!bias) {
    for_each_vector(std::ptrdiff_t(rows) * cols, [&](std::ptrdiff_t i, auto... t) {
      store(y + i, Act::forward(load(y + i, t...)), t...);
    });
    return;
  }
  for (int i = 0; i < rows; ++i, y += cols)
    for_each_vector(cols, [&](std::ptrdiff_t j, auto... t) {
      store(y + j, Act::forward(load(y + j, t...) + load(bias + j, t...)), t...);
    });
}

// Four partial sums a column hide the latency of an addition and keep long sums accurate; the order
// in which they are added up depends on `rows` alone.
constexpr int kSums = 4;

template <class Act, class... T>
KERN_INLINE void backward_columns(int rows, int cols, const float* y, float* dy, float* dbias,
                                  T... t) {
  reg sum[kSums] = {set1(0), set1(0), set1(0), set1(0)};
  const auto row = [&](int i, int s) __attribute__((always_inline)) {
    float* d = dy + std::ptrdiff_t(i) * cols;
    const reg v = Act::backward(load(y + std::ptrdiff_t(i) * cols, t...), load(d, t...));
    store(d, v, t...);
    sum[s] = sum[s] + v;
  };
  int i = 0;
  for (; i + kSums <= rows; i += kSums) {
    row(i, 0);
    row(i + 1, 1);
    row(i + 2, 2);
    row(i + 3, 3);
  }
  for (; i < rows; ++i) row(i, 0);
  if (dbias) store(dbias, (sum[0] + sum[1]) + (sum[2] + sum[3]), t...);
}

/// Column j of what may not be there: no bias, or no rows.
template <class T>
KERN_INLINE T* column(T* first, std::ptrdiff_t j) {
  return first ? first + j : nullptr;
}

template <class Act>
void backward(int rows, int cols, const float* y, float* dy, float* dbias) {
  for_each_vector(cols, [&](std::ptrdiff_t j, auto... t) {
    backward_columns<Act>(rows, cols, column(y, j), column(dy, j), column(dbias, j), t...);
  });
}

}  // namespace

void bias_activation(Exec&, int rows, int cols, const float* bias, Activation act, float* y) {
  with_activation(act, [&](auto a) { forward<decltype(a)>(rows, cols, bias, y); });
}

void activate(Exec&, std::size_t count, Activation act, const float* x, float* y) {
  with_activation(act, [&](auto f) {
    for_each_vector(static_cast<std::ptrdiff_t>(count), [&](std::ptrdiff_t i, auto... t) {
      store(y + i, decltype(f)::forward(load(x + i, t...)), t...);
    });
  });
}

void add_activation(Exec&, int rows, int cols, const float* a, const float* b, Activation act,
                    float* y) {
  with_activation(act, [&](auto f) {
    for_each_vector(std::ptrdiff_t(rows) * cols, [&](std::ptrdiff_t i, auto... t) {
      store(y + i, decltype(f)::forward(load(a + i, t...) + load(b + i, t...)), t...);
    });
  });
}

void activation_backward(Exec&, int rows, int cols, Activation act, const float* y, float* dy,
                         float* dbias) {
  with_activation(act, [&](auto a) { backward<decltype(a)>(rows, cols, y, dy, dbias); });
}

}  // namespace kern::cpu::KERN_ISA
