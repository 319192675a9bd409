// Losses and their gradients. Softmax works on kWidth rows at a time, one a lane, so that a maximum
// or a sum over the classes needs no exchange between lanes however few classes there are.

#include "kernels/cpu/pack_memory.h"
#include "kernels/cpu/vector/math.h"
#include "kernels/cpu/vector/vector.h"
#include "kernels/ref/ref.h"

namespace kern::cpu::KERN_ISA {
namespace {

/// The inverse of turn_rows for the first `rows` lanes. `from` is readable for kWidth - 1 classes
/// more.
void turn_back(const float* from, int rows, int classes, float* to) {
  for (int c = 0; c < classes; c += kWidth) {
    const Tail lanes = tail(classes - c < kWidth ? classes - c : kWidth);
    for (int r = 0; r < rows; r += 4) {
      reg v[4];
      load_transposed4(from + c * kWidth + r, kWidth, v);
      for (int q = 0; q < 4 && r + q < rows; ++q)
        store(to + std::ptrdiff_t(r + q) * classes + c, v[q], lanes);
    }
  }
}

struct Strip {
  const float* logits;
  const std::int32_t* labels;
  int rows, classes;
  float* turned;  ///< [classes, kWidth] logits, replaced by their exponentials
};

struct StripResult {
  reg loss, scale_of_sum;  ///< row losses; gradient_scale / sum of exponentials
  ireg best;               ///< first class with the largest logit; -1 where a logit is not finite
};

StripResult softmax_strip(const Strip& s, float gradient_scale) {
  reg top = load(s.turned), poison = top * set1(0);
  ireg best{};
  for (int c = 1; c < s.classes; ++c) {
    const reg z = load(s.turned + c * kWidth);
    poison = poison + z * set1(0);
    best = z > top ? ireg{} + c : best;
    top = z > top ? z : top;
  }
  reg sum = poison;
  for (int c = 0; c < s.classes; ++c) {
    const reg e = exp_negative(load(s.turned + c * kWidth) - top);
    store(s.turned + c * kWidth, e);
    sum = sum + e;
  }
  float at_label[kWidth];
  for (int i = 0; i < kWidth; ++i) {
    const int row = i < s.rows ? i : s.rows - 1;
    at_label[i] = s.logits[std::ptrdiff_t(row) * s.classes + s.labels[row]];
  }
  return {log_positive(sum) + (top - load(at_label)), set1(gradient_scale) / sum,
          sum == sum ? best : ireg{} - 1};
}

void softmax_gradient(const Strip& s, reg scale_of_sum, float gradient_scale, float* dlogits) {
  for (int c = 0; c < s.classes; ++c)
    store(s.turned + c * kWidth, load(s.turned + c * kWidth) * scale_of_sum);
  for (int i = 0; i < s.rows; ++i) s.turned[s.labels[i] * kWidth + i] -= gradient_scale;
  turn_back(s.turned, s.rows, s.classes, dlogits);
}

}  // namespace

LossSums softmax_cross_entropy(Exec& exec, int rows, int classes, const float* logits,
                               const std::int32_t* labels, float gradient_scale, float* dlogits) {
  if (std::size_t(classes + kWidth) * kWidth > kPackFloats)
    return ref::softmax_cross_entropy(exec, rows, classes, logits, labels, gradient_scale, dlogits);
  LossSums sums;
  for (int row = 0; row < rows; row += kWidth) {
    const std::ptrdiff_t from = std::ptrdiff_t(row) * classes;
    const Strip s{logits + from, labels + row, rows - row < kWidth ? rows - row : kWidth, classes,
                  pack_memory()};
    turn_rows(s.logits, classes, s.rows, classes, s.turned, kWidth);
    const StripResult result = softmax_strip(s, gradient_scale);
    for (int i = 0; i < s.rows; ++i) {
      sums.loss += static_cast<double>(result.loss[i]);
      sums.correct += result.best[i] == s.labels[i];
    }
    if (dlogits) softmax_gradient(s, result.scale_of_sum, gradient_scale, dlogits + from);
  }
  return sums;
}

LossSums mean_squared_error(Exec&, int rows, int cols, const float* prediction, const float* target,
                            float gradient_scale, float* dprediction) {
  // Float partial sums a lane are added up in double often enough that the length of the batch
  // costs no digits.
  constexpr int kBlock = 64 * kWidth;
  const std::ptrdiff_t count = std::ptrdiff_t(rows) * cols;
  const reg slope = set1(2.0f / static_cast<float>(cols) * gradient_scale);
  double total = 0;
  for (std::ptrdiff_t from = 0; from < count; from += kBlock) {
    reg sum = set1(0);
    for_each_vector(
        count - from < kBlock ? count - from : kBlock, [&](std::ptrdiff_t i, auto... t) {
          const reg d = load(prediction + from + i, t...) - load(target + from + i, t...);
          sum = fma(d, d, sum);
          if (dprediction) store(dprediction + from + i, d * slope, t...);
        });
    for (int i = 0; i < kWidth; ++i) total += static_cast<double>(sum[i]);
  }
  return {cols > 0 ? total / cols : 0.0, 0};
}

}  // namespace kern::cpu::KERN_ISA
