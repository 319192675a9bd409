#pragma once
// Symmetric matrices, row by row. Own code and not LAPACK: a library's answer depends on the
// processor, a proposal must not.

#include <cstddef>
#include <span>
#include <vector>

namespace hpo {

/// M = V diag(values) V^T.
struct EigenPairs {
  std::vector<double> values;   ///< [n], in no order
  std::vector<double> vectors;  ///< [n, n], column j belongs to values[j]
};

/// Of a symmetric matrix [n, n], by Jacobi's cyclic rotations (Golub and Van Loan, "Matrix
/// computations", 8.5): O(n^3) a sweep, about eight sweeps.
[[nodiscard]] EigenPairs eigen_pairs(std::vector<double> matrix, std::size_t n);

/// matrix [n, n] times vector [n].
[[nodiscard]] std::vector<double> product(std::span<const double> matrix,
                                          std::span<const double> vector);

/// The transpose of matrix [n, n] times vector [n].
[[nodiscard]] std::vector<double> transposed_product(std::span<const double> matrix,
                                                     std::span<const double> vector);

}  // namespace hpo
