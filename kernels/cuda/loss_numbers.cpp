#include "kernels/cuda/row_losses.h"

#include "kernels/cuda/functions.h"
#include "kernels/cuda/scalar.h"

namespace kern::KERN_ON {
namespace {

constexpr int kThreads = 32;
struct RowSum {
  float terms[kThreads];
};

struct Squared {
  KERN_DEVICE float value(float d) const { return d * d; }
  KERN_DEVICE float slope(float d) const { return 2 * d; }
};

struct Absolute {
  KERN_DEVICE float value(float d) const { return fabsf(d); }
  KERN_DEVICE float slope(float d) const { return d == 0 || is_nan(d) ? d : copysignf(1, d); }
};

struct Huber {
  float delta;
  KERN_DEVICE float value(float d) const {
    const float size = fabsf(d);
    return size > delta ? delta * (size - delta / 2) : d * d / 2;
  }
  KERN_DEVICE float slope(float d) const { return d > delta ? delta : d < -delta ? -delta : d; }
};

/// One row, by one block.
template <class Of>
struct Difference {
  DifferenceLossArgs<float> a;
  Of of;
  RowLoss* losses;

  KERN_DEVICE void operator()(const Block<kThreads>& block, RowSum& shared) const {
    const std::size_t begin = block.index * static_cast<std::size_t>(a.cols);
    const DifferenceLossArgs<float> row = a;
    const Of loss = of;
    RowLoss* result = losses + block.index;
    block.each([&](int t) {
      float sum = 0;
      for (int j = t; j < row.cols; j += kThreads) {
        const std::size_t i = begin + static_cast<std::size_t>(j);
        const float d = row.prediction[i] - row.target[i];
        sum += loss.value(d);
        if (row.dprediction != nullptr)
          row.dprediction[i] = loss.slope(d) / static_cast<float>(row.cols) * row.gradient_scale;
      }
      shared.terms[t] = sum;
    });
    add_up<kThreads>(block, shared.terms);
    block.each([&](int t) {
      if (t != 0) return;
      result->loss = static_cast<double>(shared.terms[0]) / row.cols;
      result->correct = 0;
    });
  }
};

template <class Of>
LossSums difference_loss(const Exec& exec, const DifferenceLossArgs<float>& a, Of of) {
  Temporary temporary;
  return summed(exec, temporary, a.rows, [&](RowLoss* losses) {
    over_blocks<kThreads, RowSum>(static_cast<std::size_t>(a.rows), Difference<Of>{a, of, losses});
  });
}

}  // namespace

LossSums mean_squared_error(Exec& exec, const DifferenceLossArgs<float>& a) {
  return difference_loss(exec, a, Squared{});
}

LossSums mean_absolute_error(Exec& exec, const DifferenceLossArgs<float>& a) {
  return difference_loss(exec, a, Absolute{});
}

LossSums huber(Exec& exec, const DifferenceLossArgs<float>& a) {
  return difference_loss(exec, a, Huber{a.delta});
}

}  // namespace kern::KERN_ON
