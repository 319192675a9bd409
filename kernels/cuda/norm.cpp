#include "kernels/cuda/functions.h"
#include "kernels/cuda/scalar.h"
#include "kernels/cuda/sums.h"

namespace kern::KERN_ON {
namespace {

/// Two sums of a row.
struct RowPair {
  float first[kSumThreads], second[kSumThreads];
};

std::size_t size_of(int rows, int cols) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
}

/// The gradient of layer normalisation with respect to its input, a block a row.
void layer_norm_inputs(const LayerNormGradientArgs<float>& args) {
  const LayerNormGradientArgs<float> a = args;
  over_blocks<kSumThreads, RowPair>(
      static_cast<std::size_t>(a.rows),
      [=] KERN_DEVICE(const Block<kSumThreads>& block, RowPair& shared) {
        const std::size_t begin = block.index * static_cast<std::size_t>(a.cols);
        const float mean = a.mean[block.index], inverse = a.inverse[block.index];
        const float *x = a.x + begin, *dy = a.dy + begin;
        float* dx = a.dx + begin;
        block.each([&](int t) {
          float sum = 0, product = 0;
          for (int j = t; j < a.cols; j += kSumThreads) {
            sum += dy[j] * a.scale[j];
            product += dy[j] * a.scale[j] * ((x[j] - mean) * inverse);
          }
          shared.first[t] = sum;
          shared.second[t] = product;
        });
        add_up<kSumThreads>(block, shared.first);
        add_up<kSumThreads>(block, shared.second);
        block.each([&](int t) {
          const float cols = static_cast<float>(a.cols);
          for (int j = t; j < a.cols; j += kSumThreads) {
            const float normal = (x[j] - mean) * inverse;
            const float common = (shared.first[0] + normal * shared.second[0]) / cols;
            dx[j] = inverse * (dy[j] * a.scale[j] - common);
          }
        });
      });
}

}  // namespace

void column_moments(Exec&, int rows, int cols, const float* x, float* mean, float* variance) {
  Temporary temporary;
  const auto wide = static_cast<std::size_t>(cols), high = static_cast<std::size_t>(rows);
  const auto count = static_cast<float>(rows);
  sum_columns(
      temporary, high, cols,
      [=] KERN_DEVICE(std::size_t row, int col) {
        return x[row * wide + static_cast<std::size_t>(col)];
      },
      [=] KERN_DEVICE(int col, float sum) { mean[col] = sum / count; });
  sum_columns(
      temporary, high, cols,
      [=] KERN_DEVICE(std::size_t row, int col) {
        const float distance = x[row * wide + static_cast<std::size_t>(col)] - mean[col];
        return distance * distance;
      },
      [=] KERN_DEVICE(int col, float sum) { variance[col] = sum / count; });
}

void batch_norm_forward(Exec&, const BatchNormArgs<float>& args) {
  const BatchNormArgs<float> a = args;
  const auto epsilon = static_cast<float>(a.epsilon);
  over(size_of(a.rows, a.cols), [=] KERN_DEVICE(std::size_t i) {
    const int j = place(i, a.cols).col;
    const float normal = (a.x[i] - a.mean[j]) * (1 / sqrtf(a.variance[j] + epsilon));
    a.y[i] = activated(a.activation, normal * a.scale[j] + a.shift[j]);
  });
}

void batch_norm_backward(Exec&, const BatchNormGradientArgs<float>& args) {
  const BatchNormGradientArgs<float> a = args;
  const auto epsilon = static_cast<float>(a.epsilon);
  const auto wide = static_cast<std::size_t>(a.cols);
  Temporary temporary;
  sum_columns(
      temporary, static_cast<std::size_t>(a.rows), a.cols,
      [=] KERN_DEVICE(std::size_t row, int j) {
        const std::size_t i = row * wide + static_cast<std::size_t>(j);
        return a.dy[i] * ((a.x[i] - a.mean[j]) * (1 / sqrtf(a.variance[j] + epsilon)));
      },
      [=] KERN_DEVICE(int j, float sum) { a.dscale[j] = sum; });
  if (a.dx == nullptr) return;
  over(size_of(a.rows, a.cols), [=] KERN_DEVICE(std::size_t i) {
    const int j = place(i, a.cols).col;
    const float inverse = 1 / sqrtf(a.variance[j] + epsilon);
    const float normal = (a.x[i] - a.mean[j]) * inverse;
    const float common = (a.dshift[j] + normal * a.dscale[j]) / static_cast<float>(a.rows);
    a.dx[i] = a.scale[j] * inverse * (a.dy[i] - common);
  });
}

void layer_norm_forward(Exec&, const LayerNormArgs<float>& args) {
  const LayerNormArgs<float> a = args;
  const auto epsilon = static_cast<float>(a.epsilon);
  over_blocks<kSumThreads, RowPair>(
      static_cast<std::size_t>(a.rows),
      [=] KERN_DEVICE(const Block<kSumThreads>& block, RowPair& shared) {
        const std::size_t begin = block.index * static_cast<std::size_t>(a.cols);
        const float* x = a.x + begin;
        float* y = a.y + begin;
        const float cols = static_cast<float>(a.cols);
        block.each([&](int t) {
          float sum = 0;
          for (int j = t; j < a.cols; j += kSumThreads) sum += x[j];
          shared.first[t] = sum;
        });
        add_up<kSumThreads>(block, shared.first);
        block.each([&](int t) {
          const float mean = shared.first[0] / cols;
          float squares = 0;
          for (int j = t; j < a.cols; j += kSumThreads) squares += (x[j] - mean) * (x[j] - mean);
          shared.second[t] = squares;
        });
        add_up<kSumThreads>(block, shared.second);
        block.each([&](int t) {
          const float mean = shared.first[0] / cols;
          const float inverse = 1 / sqrtf(shared.second[0] / cols + epsilon);
          if (t == 0) {
            a.mean[block.index] = mean;
            a.inverse[block.index] = inverse;
          }
          for (int j = t; j < a.cols; j += kSumThreads)
            y[j] = activated(a.activation, (x[j] - mean) * inverse * a.scale[j] + a.shift[j]);
        });
      });
}

void layer_norm_backward(Exec&, const LayerNormGradientArgs<float>& args) {
  const LayerNormGradientArgs<float> a = args;
  const auto wide = static_cast<std::size_t>(a.cols);
  Temporary temporary;
  sum_columns(
      temporary, static_cast<std::size_t>(a.rows), a.cols,
      [=] KERN_DEVICE(std::size_t row, int j) {
        const std::size_t i = row * wide + static_cast<std::size_t>(j);
        return a.dy[i] * ((a.x[i] - a.mean[row]) * a.inverse[row]);
      },
      [=] KERN_DEVICE(int j, float sum) { a.dscale[j] = sum; });
  if (a.dx != nullptr) layer_norm_inputs(a);
}

}  // namespace kern::KERN_ON
