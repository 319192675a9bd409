#pragma once
// Linear models of tables that have many columns and few rows.

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/kernels.h"
#include "nn/data/dataset.h"

namespace nn {

/// The training part of a data set in as many columns as its rows span. The scaled inputs X [rows,
/// cols] are Z Q with the orthonormal rows Q; weights b of Z answer as weights w = Q^T b of X do,
/// with the same squared length. The optimum of a linear model with an L2 penalty on w lies in the
/// span of the rows (representer theorem), so fitting b finds it.
class FewRows {
 public:
  /// Takes memory for rows^2 numbers and time for rows^2 * cols. The data outlives this.
  FewRows(const kern::LinearAlgebra& algebra, const Dataset& data);

  /// Columns of Z, at most as many as rows.
  [[nodiscard]] std::size_t width() const { return width_; }
  /// Z and the targets of its rows; valid as long as this is.
  [[nodiscard]] DataView view() const;
  /// Writes Q^T b: `weights` [width, outputs] as `out` [cols, outputs].
  void turn_back(std::span<const float> weights, std::span<float> out) const;

 private:
  const Dataset& data_;
  std::size_t width_ = 0;
  std::vector<double> vectors_;  ///< [width, rows]: eigenvectors of X X^T over the root of theirs
  std::vector<float> z_, targets_, shift_, scale_;
  std::vector<std::int32_t> labels_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace nn
