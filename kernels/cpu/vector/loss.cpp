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
  float* turned;         ///< [classes, kWidth] logits, replaced by their exponentials
  const float* weights;  ///< of the classes, or null
  float even, sharp;     ///< what the target has at every class, and at the label besides
  float all_weights;     ///< their sum

  [[nodiscard]] float weight(std::int32_t c) const { return weights ? weights[c] : 1.0f; }
};

struct StripResult {
  reg loss, scale_of_sum;  ///< row losses; gradient_scale * the target's sum / sum of exponentials
  ireg best;               ///< first class with the largest logit; -1 where a logit is not finite
};

StripResult softmax_strip(const Strip& s, float gradient_scale) {
  reg top = load(s.turned), poison = top * set1(0);
  reg weighted = set1(s.weight(0)) * top;
  ireg best{};
  for (int c = 1; c < s.classes; ++c) {
    const reg z = load(s.turned + c * kWidth);
    poison = poison + z * set1(0);
    if (s.even != 0) weighted = fma(set1(s.weight(c)), z, weighted);
    best = z > top ? ireg{} + c : best;
    top = z > top ? z : top;
  }
  reg sum = poison;
  for (int c = 0; c < s.classes; ++c) {
    const reg e = exp_negative(load(s.turned + c * kWidth) - top);
    store(s.turned + c * kWidth, e);
    sum = sum + e;
  }
  float at_label[kWidth], of_label[kWidth];
  for (int i = 0; i < kWidth; ++i) {
    const int row = i < s.rows ? i : s.rows - 1;
    at_label[i] = s.logits[std::ptrdiff_t(row) * s.classes + s.labels[row]];
    of_label[i] = s.sharp * s.weight(s.labels[row]);
  }
  const reg label = load(of_label), mass = label + set1(s.even * s.all_weights);
  reg distance = label * (top - load(at_label));
  if (s.even != 0) distance = distance + set1(s.even) * (top * set1(s.all_weights) - weighted);
  return {mass * log_positive(sum) + distance, mass * set1(gradient_scale) / sum,
          sum == sum ? best : ireg{} - 1};
}

void softmax_gradient(const Strip& s, reg scale_of_sum, float gradient_scale, float* dlogits) {
  for (int c = 0; c < s.classes; ++c) {
    const reg even = set1(s.even * s.weight(c) * gradient_scale);
    store(s.turned + c * kWidth, load(s.turned + c * kWidth) * scale_of_sum - even);
  }
  for (int i = 0; i < s.rows; ++i)
    s.turned[s.labels[i] * kWidth + i] -= gradient_scale * (s.sharp * s.weight(s.labels[i]));
  turn_back(s.turned, s.rows, s.classes, dlogits);
}

/// Losses of the difference: float partial sums a lane are added up in double often enough that the
/// length of the batch costs no digits. slope(d) is the whole gradient.
template <class Value, class Slope>
KERN_INLINE LossSums difference_loss(const DifferenceLossArgs<float>& a, Value value, Slope slope) {
  constexpr int kBlock = 64 * kWidth;
  const std::ptrdiff_t count = std::ptrdiff_t(a.rows) * a.cols;
  double total = 0;
  for (std::ptrdiff_t from = 0; from < count; from += kBlock) {
    reg sum = set1(0);
    for_each_vector(
        count - from < kBlock ? count - from : kBlock, [&](std::ptrdiff_t i, auto... t) {
          const reg d = load(a.prediction + from + i, t...) - load(a.target + from + i, t...);
          sum = value(d, sum);
          if (a.dprediction) store(a.dprediction + from + i, slope(d), t...);
        });
    for (int i = 0; i < kWidth; ++i) total += static_cast<double>(sum[i]);
  }
  return {a.cols > 0 ? total / a.cols : 0.0, 0};
}

/// What binary cross entropy needs of one vector of rows.
struct BinaryRows {
  reg loss, gradient, correct;
};

KERN_INLINE BinaryRows binary_rows(const BinaryCrossEntropyArgs<float>& a, reg z, reg label) {
  const reg one = set1(1.0f), zero = set1(0);
  const reg poison = z * zero, size = magnitude_of(z);
  const reg weight =
      a.class_weights ? (label > zero ? set1(a.class_weights[1]) : set1(a.class_weights[0])) : one;
  const auto smoothing = static_cast<float>(a.smoothing);
  const reg target = fma(label, set1(1.0f - smoothing), set1(smoothing / 2));
  const reg e = exp_negative(-size);
  // ln(1 + e) loses its digits where e is small; there it is e - e^2 / 2 + e^3 / 3.
  const reg small = e * fma(e, fma(e, set1(1.0f / 3.0f), set1(-0.5f)), one);
  const reg rest = e < set1(0.01f) ? small : log_positive(one + e);
  const reg share = (z > zero ? one : e) / (one + e);
  const reg hit = (z > zero ? label : one - label);
  return {weight * (at_least(z, zero) - z * target + rest) + poison,
          weight * (share - target) * set1(a.gradient_scale) + poison, poison == zero ? hit : zero};
}

}  // namespace

LossSums softmax_cross_entropy(Exec& exec, const CrossEntropyArgs<float>& a) {
  if (std::size_t(a.classes + kWidth) * kWidth > kPackFloats)
    return ref::softmax_cross_entropy(exec, a);
  float all_weights = 0;
  for (int c = 0; c < a.classes; ++c) all_weights += a.class_weights ? a.class_weights[c] : 1.0f;
  LossSums sums;
  for (int row = 0; row < a.rows; row += kWidth) {
    const std::ptrdiff_t from = std::ptrdiff_t(row) * a.classes;
    const Strip s{a.logits + from,
                  a.labels + row,
                  a.rows - row < kWidth ? a.rows - row : kWidth,
                  a.classes,
                  pack_memory(),
                  a.class_weights,
                  static_cast<float>(a.smoothing / a.classes),
                  static_cast<float>(1 - a.smoothing),
                  all_weights};
    turn_rows(s.logits, a.classes, s.rows, a.classes, s.turned, kWidth);
    const StripResult result = softmax_strip(s, a.gradient_scale);
    for (int i = 0; i < s.rows; ++i) {
      sums.loss += static_cast<double>(result.loss[i]);
      sums.correct += result.best[i] == s.labels[i];
    }
    if (a.dlogits) softmax_gradient(s, result.scale_of_sum, a.gradient_scale, a.dlogits + from);
  }
  return sums;
}

LossSums binary_cross_entropy(Exec&, const BinaryCrossEntropyArgs<float>& a) {
  constexpr int kBlock = 64 * kWidth;
  float ones[kWidth];
  store(ones, set1(1.0f));
  LossSums sums;
  for (int from = 0; from < a.rows; from += kBlock) {
    reg loss = set1(0), correct = set1(0);
    for_each_vector(
        a.rows - from < kBlock ? a.rows - from : kBlock, [&](std::ptrdiff_t i, auto... t) {
          const auto* labels = reinterpret_cast<const float*>(a.labels + from + i);
          const BinaryRows rows =
              binary_rows(a, load(a.logits + from + i, t...), to_float(bits(load(labels, t...))));
          const reg valid = load(ones, t...);
          loss = loss + rows.loss * valid;
          correct = correct + rows.correct * valid;
          if (a.dlogits) store(a.dlogits + from + i, rows.gradient, t...);
        });
    for (int i = 0; i < kWidth; ++i) {
      sums.loss += static_cast<double>(loss[i]);
      sums.correct += static_cast<std::int64_t>(correct[i]);
    }
  }
  return sums;
}

LossSums mean_squared_error(Exec&, const DifferenceLossArgs<float>& a) {
  const reg slope = set1(2.0f / static_cast<float>(a.cols) * a.gradient_scale);
  return difference_loss(
      a, [](reg d, reg sum) { return fma(d, d, sum); }, [&](reg d) { return d * slope; });
}

LossSums mean_absolute_error(Exec&, const DifferenceLossArgs<float>& a) {
  const reg slope = set1(a.gradient_scale / static_cast<float>(a.cols)), zero = set1(0);
  return difference_loss(
      a, [](reg d, reg sum) { return sum + magnitude_of(d); },
      [&](reg d) {
        const reg below = d < zero ? -slope : d * zero;
        return d > zero ? slope : below;
      });
}

LossSums huber(Exec&, const DifferenceLossArgs<float>& a) {
  const reg slope = set1(a.gradient_scale / static_cast<float>(a.cols)), delta = set1(a.delta);
  return difference_loss(
      a,
      [&](reg d, reg sum) {
        const reg size = magnitude_of(d);
        const reg far = delta * (size - delta * set1(0.5f)), near = d * d * set1(0.5f);
        return sum + (size > delta ? far : near);
      },
      [&](reg d) {
        const reg above = d > delta ? delta : d;
        return (d < -delta ? -delta : above) * slope;
      });
}

}  // namespace kern::cpu::KERN_ISA
