#include "kernels/cuda/lanes.h"

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
  if (cols % kLanes != 0 || !in_lanes(y)) {
    return over(size_of(rows, cols), [=] KERN_DEVICE(std::size_t i) {
      y[i] = activated(act, bias != nullptr ? y[i] + bias[place(i, cols).col] : y[i]);
    });
  }
  over(size_of(rows, cols) / kLanes, [=] KERN_DEVICE(std::size_t i) {
    Lanes<float, kLanes> values = lanes_at(y + i * kLanes, true);
    const int first = place(i, cols / kLanes).col * kLanes;
    for (int j = 0; j < kLanes; ++j) {
      float& v = values.at[j];
      v = activated(act, bias != nullptr ? v + bias[first + j] : v);
    }
    put_lanes(y + i * kLanes, values, true);
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
  const auto wide = static_cast<std::size_t>(cols), high = static_cast<std::size_t>(rows);
  const auto store = [=] KERN_DEVICE(int col, float sum) { dbias[col] = sum; };
  if (cols % kLanes != 0) {
    return sum_columns(
        temporary, high, cols,
        [=] KERN_DEVICE(std::size_t row, int col) {
          const std::size_t i = row * wide + static_cast<std::size_t>(col);
          return dy[i] *= slope(act, y[i]);
        },
        store);
  }
  // The sums' order is the shape's alone.
  const bool whole = in_lanes(y) && in_lanes(dy);
  sum_columns<kLanes>(
      temporary, high, cols,
      [=] KERN_DEVICE(std::size_t row, int col) {
        const std::size_t i = row * wide + static_cast<std::size_t>(col);
        Lanes<float, kLanes> slopes = lanes_at(dy + i, whole);
        const Lanes<float, kLanes> outputs = lanes_at(y + i, whole);
        for (int j = 0; j < kLanes; ++j) slopes.at[j] *= slope(act, outputs.at[j]);
        put_lanes(dy + i, slopes, whole);
        return slopes;
      },
      store);
}

}  // namespace kern::KERN_ON
