#pragma once
// What a network does on the calibration rows.

#include <cstddef>
#include <vector>

#include "nn/reshape/kind.h"
#include "nn/reshape/reading.h"

namespace nn {

/// Sums over the rows that enter a layer, as the layer sees them: one column an input of its units
/// (a convolution: the pixels under its kernel, positions sampled), the last one 1. gram holds the
/// lower triangle of the sum of x x^T [columns, columns].
struct InputGram {
  std::size_t columns = 0;
  double rows = 0;
  std::vector<double> gram;

  /// Element (i, j) of the symmetric matrix.
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return i < j ? gram[j * columns + i] : gram[i * columns + j];
  }
};

/// The gram of what enters layer `layer`, a dense layer or convolution, when `from` sees the
/// calibration rows.
template <class T>
[[nodiscard]] InputGram input_gram(const ReshapeJob<T>& job, std::size_t layer);

/// Mean over the rows of dz h^T, [units of layer `later`, inputs of layer `layer`]: what a direct
/// connection from the one's inputs to the other's sums would have for a gradient. Both are dense
/// layers. The loss is cross entropy for labels (of one output: binary), mean squared error for
/// numbers.
template <class T>
[[nodiscard]] std::vector<double> bridge_gradient(const ReshapeJob<T>& job, std::size_t layer,
                                                  std::size_t later);

/// For each of `count` units that the readers read: the mean over the chunks of calibration rows of
/// the squared gradient of the loss with respect to a factor 1 on the unit. The loss as above.
template <class T>
[[nodiscard]] std::vector<double> gate_gradients(const ReshapeJob<T>& job,
                                                 const std::vector<Reader>& readers,
                                                 std::size_t count);

/// Most rows and positions that a gram is summed over.
inline constexpr std::size_t kGramRows = 10000;

extern template InputGram input_gram(const ReshapeJob<float>&, std::size_t);
extern template InputGram input_gram(const ReshapeJob<double>&, std::size_t);
extern template std::vector<double> bridge_gradient(const ReshapeJob<float>&, std::size_t,
                                                    std::size_t);
extern template std::vector<double> bridge_gradient(const ReshapeJob<double>&, std::size_t,
                                                    std::size_t);
extern template std::vector<double> gate_gradients(const ReshapeJob<float>&,
                                                   const std::vector<Reader>&, std::size_t);
extern template std::vector<double> gate_gradients(const ReshapeJob<double>&,
                                                   const std::vector<Reader>&, std::size_t);

}  // namespace nn
