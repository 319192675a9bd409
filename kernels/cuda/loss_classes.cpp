#include <climits>

#include "kernels/cuda/functions.h"
#include "kernels/cuda/row_losses.h"
#include "kernels/cuda/scalar.h"

namespace kern::KERN_ON {
namespace {

/// The largest of some logits, the first on ties, and whether all were finite.
struct Top {
  float logit;
  int at;
  bool finite;
};
KERN_DEVICE Top better(const Top& a, const Top& b) {
  const bool finite = a.finite && b.finite;
  if (b.logit > a.logit || (b.logit == a.logit && b.at < a.at)) return {b.logit, b.at, finite};
  return {a.logit, a.at, finite};
}

template <int kThreads>
struct SoftmaxRow {
  Top top[kThreads];
  float sum[kThreads], mass[kThreads], loss[kThreads];
};

/// What a logit should be: kernels.h, CrossEntropyArgs.
struct Targets {
  const float* weights;
  float even, sharp;
  KERN_DEVICE float at(int c, int label) const {
    const float weight = weights != nullptr ? weights[c] : 1;
    return weight * (even + (c == label ? sharp : 0));
  }
};

/// One row, by one block.
template <int kThreads>
struct Softmax {
  CrossEntropyArgs<float> a;
  Targets targets;
  RowLoss* losses;

  KERN_DEVICE void find_top(const Block<kThreads>& block, SoftmaxRow<kThreads>& shared) const {
    const float* z = a.logits + block.index * static_cast<std::size_t>(a.classes);
    const int classes = a.classes;
    block.each([&](int t) {
      Top top{-FLT_MAX, INT_MAX, true};
      for (int c = t; c < classes; c += kThreads) top = better(top, {z[c], c, is_finite(z[c])});
      shared.top[t] = top;
    });
    for (int half = kThreads / 2; half > 0; half /= 2) {
      block.each([&](int t) {
        if (t < half) shared.top[t] = better(shared.top[t], shared.top[t + half]);
      });
    }
  }

  KERN_DEVICE void add(const Block<kThreads>& block, SoftmaxRow<kThreads>& shared) const {
    const float* z = a.logits + block.index * static_cast<std::size_t>(a.classes);
    const int classes = a.classes, label = a.labels[block.index];
    const Targets wanted = targets;
    block.each([&](int t) {
      float sum = 0, mass = 0;
      for (int c = t; c < classes; c += kThreads) {
        sum += expf(z[c] - shared.top[0].logit);
        mass += wanted.at(c, label);
      }
      shared.sum[t] = sum;
      shared.mass[t] = mass;
    });
    add_up<kThreads>(block, shared.sum);
    add_up<kThreads>(block, shared.mass);
    block.each([&](int t) {
      const float all = logf(shared.sum[0]) + shared.top[0].logit;
      float loss = 0;
      for (int c = t; c < classes; c += kThreads) {
        const float target = wanted.at(c, label);
        if (target != 0) loss += target * (all - z[c]);
      }
      shared.loss[t] = loss;
    });
    add_up<kThreads>(block, shared.loss);
  }

  KERN_DEVICE void operator()(const Block<kThreads>& block, SoftmaxRow<kThreads>& shared) const {
    find_top(block, shared);
    add(block, shared);
    const std::size_t begin = block.index * static_cast<std::size_t>(a.classes);
    const float *z = a.logits + begin, scale = a.gradient_scale;
    float* dz = a.dlogits != nullptr ? a.dlogits + begin : nullptr;
    RowLoss* row = losses + block.index;
    const int classes = a.classes, label = a.labels[block.index];
    const Targets wanted = targets;
    block.each([&](int t) {
      const Top top = shared.top[0];
      const float poison = top.finite ? 0 : not_a_number();
      if (t == 0) {
        row->loss = static_cast<double>(shared.loss[0] + poison);
        row->correct = top.finite && top.at == label ? 1 : 0;
      }
      for (int c = t; dz != nullptr && c < classes; c += kThreads) {
        const float share = expf(z[c] - top.logit) / (shared.sum[0] + poison);
        dz[c] = (share * shared.mass[0] - wanted.at(c, label)) * scale;
      }
    });
  }
};

/// One row of the binary loss, by one thread.
struct BinaryRow {
  BinaryCrossEntropyArgs<float> a;
  const float* weights;
  float even, sharp;
  RowLoss* losses;

  KERN_DEVICE void operator()(std::size_t i) const {
    const int label = a.labels[i];
    const float z = is_finite(a.logits[i]) ? a.logits[i] : not_a_number();
    const float weight = weights != nullptr ? weights[label] : 1;
    const float target = even + (label == 1 ? sharp : 0);
    const float e = expf(-fabsf(z));
    const float loss = weight * (fmaxf(z, 0) - z * target + log1pf(e));
    losses[i].loss = static_cast<double>(is_nan(z) ? z : loss);
    losses[i].correct = (z > 0 && label == 1) || (z <= 0 && label == 0) ? 1 : 0;
    if (a.dlogits == nullptr) return;
    const float sigmoid = z > 0 ? 1 / (1 + e) : e / (1 + e);
    a.dlogits[i] = weight * (sigmoid - target) * a.gradient_scale;
  }
};

}  // namespace

LossSums softmax_cross_entropy(Exec& exec, const CrossEntropyArgs<float>& a) {
  Temporary temporary;
  const Targets targets{temporary.copy(a.class_weights, static_cast<std::size_t>(a.classes)),
                        static_cast<float>(a.smoothing / a.classes),
                        static_cast<float>(1 - a.smoothing)};
  return summed(exec, temporary, a.rows, [&](RowLoss* losses) {
    constexpr int kFew = 32, kMany = 256;
    const auto rows = static_cast<std::size_t>(a.rows);
    if (a.classes <= 4 * kFew) {
      over_blocks<kFew, SoftmaxRow<kFew>>(rows, Softmax<kFew>{a, targets, losses});
    } else {
      over_blocks<kMany, SoftmaxRow<kMany>>(rows, Softmax<kMany>{a, targets, losses});
    }
  });
}

LossSums binary_cross_entropy(Exec& exec, const BinaryCrossEntropyArgs<float>& a) {
  Temporary temporary;
  const float* weights = temporary.copy(a.class_weights, 2);
  const auto even = static_cast<float>(a.smoothing / 2),
             sharp = static_cast<float>(1 - a.smoothing);
  return summed(exec, temporary, a.rows, [&](RowLoss* losses) {
    over(static_cast<std::size_t>(a.rows), BinaryRow{a, weights, even, sharp, losses});
  });
}

}  // namespace kern::KERN_ON
