#include "kernels/cuda/functions.h"
#include "kernels/cuda/scalar.h"
#include "kernels/cuda/sums.h"

namespace kern::KERN_ON {
namespace {

std::size_t size_of(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

}  // namespace

void bias_activation(Exec&, int rows, int cols, const float* bias, Activation act, float* y) {
  if (bias == nullptr && act == Activation::none) return;
  over(size_of(rows, cols), [=] KERN_DEVICE(std::size_t i) {
    y[i] = activated(act, bias != nullptr ? y[i] + bias[place(i, cols).col] : y[i]);
  });
}

void add_activation(Exec&, int rows, int cols, const float* a, const float* b, Activation act,
                    float* y) {
  over(size_of(rows, cols), [=] KERN_DEVICE(std::size_t i) { y[i] = activated(act, a[i] + b[i]); });
}

void activate(Exec&, std::size_t count, Activation act, const float* x, float* y) {
  over(count, [=] KERN_DEVICE(std::size_t i) { y[i] = activated(act, x[i]); });
}

void activation_backward(Exec&, int rows, int cols, Activation act, const float* y, float* dy,
                         float* dbias) {
  if (dbias == nullptr) {
    over(size_of(rows, cols), [=] KERN_DEVICE(std::size_t i) { dy[i] *= slope(act, y[i]); });
    return;
  }
  Temporary temporary;
  const auto wide = static_cast<std::size_t>(cols);
  sum_columns(
      temporary, static_cast<std::size_t>(rows), cols,
      [=] KERN_DEVICE(std::size_t row, int col) {
        const std::size_t i = row * wide + static_cast<std::size_t>(col);
        return dy[i] *= slope(act, y[i]);
      },
      [=] KERN_DEVICE(int col, float sum) { dbias[col] = sum; });
}

}  // namespace kern::KERN_ON
