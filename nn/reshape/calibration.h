#pragma once
// What a network does on the calibration rows.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "nn/reshape/kind.h"
#include "nn/reshape/reading.h"

namespace nn {

/// What enters a layer on the calibration rows, as the layer sees it: samples [rows, columns], one
/// column an input of its units (a convolution: the pixels under its kernel), the last one 1.
template <class T>
struct LayerInputs {
  std::size_t columns = 0, rows = 0;
  std::vector<double> sums, squares;  ///< of each column over all rows
  /// The lower triangle of the sum of x x^T [columns, columns], where the layer has no more columns
  /// than rows and at most kGramColumns.
  std::vector<double> gram;
  /// Where it has more: rows of them, evenly chosen, [kept_rows(columns, rows), columns].
  std::vector<T> samples;

  /// Element (i, j) of the symmetric matrix `gram`.
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return i < j ? gram[j * columns + i] : gram[i * columns + j];
  }
};

/// At most `most` of these rows, drawn by their number alone, in ascending order.
[[nodiscard]] std::vector<std::uint32_t> calibration_rows(std::span<const std::uint32_t> rows,
                                                          std::int64_t most);

/// Rows of a pass: where it computes gradients the same on every device, as what is squared is the
/// gradient of a chunk.
[[nodiscard]] int calibration_chunk(const kern::Memory& memory, const ModelSpec& spec, Use use);

/// Bytes of a pass beside what its caller keeps in the kernels' memory.
[[nodiscard]] std::size_t calibration_memory(const kern::Kernels<float>& kernels,
                                             const ModelSpec& spec, Use use);

/// Rows and positions of a convolution that products of its inputs are summed over, where there are
/// more.
inline constexpr std::size_t kGramRows = 10000;
inline constexpr std::size_t kGramColumns = 4096;
/// Samples that are kept of a layer with more columns than `rows`, or than kGramColumns: at most
/// 64 MiB of floats, and at least one.
[[nodiscard]] std::size_t kept_rows(std::size_t columns, std::size_t rows);
/// Whether the sums of products are kept of a layer, and not the samples.
[[nodiscard]] constexpr bool keeps_gram(std::size_t columns, std::size_t rows) {
  return columns <= std::min(rows, kGramColumns);
}

/// What of a layer's inputs is asked for: the sums of each column over all rows and positions, or
/// `gram` or `samples` too, and then all of it from a sample of a convolution's positions.
enum class Kept : std::uint8_t { sums, all };

/// What enters layer `layer`, a dense layer or convolution, when `from` sees the calibration rows.
template <class T>
[[nodiscard]] LayerInputs<T> layer_inputs(const ReshapeJob<T>& job, std::size_t layer, Kept kept);

/// What enters layer `layer` on the calibration rows, as it is: sums and squares over all rows, one
/// of each of its elements.
struct LayerValues {
  std::vector<double> sums, squares;
};
template <class T>
[[nodiscard]] LayerValues layer_values(const ReshapeJob<T>& job, std::size_t layer);

/// Mean over the rows of dz h^T, [units of layer `later`, inputs of layer `layer`]: what a direct
/// connection from the one's inputs to the other's sums would have for a gradient. Both are dense
/// layers. The loss is cross entropy for labels (of one output: binary), mean squared error for
/// numbers.
template <class T>
[[nodiscard]] std::vector<double> bridge_gradient(const ReshapeJob<T>& job, std::size_t layer,
                                                  std::size_t later);

/// ReshapeKind::gradient_numbers of the same.
[[nodiscard]] std::size_t bridge_numbers(const ModelSpec& spec, std::size_t layer,
                                         std::size_t later);

/// The units of a group, and who reads them.
struct Gates {
  std::vector<Reader> readers;
  std::size_t count = 0;  ///< units
};

/// For each group, and each of its units: the mean over the chunks of calibration rows of the
/// squared gradient of the loss with respect to a factor 1 on the unit. The loss as above.
template <class T>
[[nodiscard]] std::vector<std::vector<double>> gate_gradients(const ReshapeJob<T>& job,
                                                              const std::vector<Gates>& groups);

extern template LayerInputs<float> layer_inputs(const ReshapeJob<float>&, std::size_t, Kept);
extern template LayerInputs<double> layer_inputs(const ReshapeJob<double>&, std::size_t, Kept);
extern template LayerValues layer_values(const ReshapeJob<float>&, std::size_t);
extern template std::vector<double> bridge_gradient(const ReshapeJob<float>&, std::size_t,
                                                    std::size_t);
extern template std::vector<double> bridge_gradient(const ReshapeJob<double>&, std::size_t,
                                                    std::size_t);
extern template std::vector<std::vector<double>> gate_gradients(const ReshapeJob<float>&,
                                                                const std::vector<Gates>&);
extern template std::vector<std::vector<double>> gate_gradients(const ReshapeJob<double>&,
                                                                const std::vector<Gates>&);

}  // namespace nn
