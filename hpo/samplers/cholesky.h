#pragma once
// Triangular factors of small symmetric matrices. Their sums run in one order on every machine,
// which no BLAS promises.

#include <cstddef>
#include <span>
#include <vector>

namespace hpo {

/// A square matrix whose rows begin `stride` numbers apart, what is behind their ends being 0.
struct Matrix {
  std::size_t size = 0, stride = 0;
  std::vector<double> numbers;

  Matrix() = default;
  explicit Matrix(std::size_t n);
  [[nodiscard]] double* row(std::size_t i) { return numbers.data() + i * stride; }
  [[nodiscard]] const double* row(std::size_t i) const { return numbers.data() + i * stride; }
};

/// A = L L' for a symmetric positive definite A.
class Cholesky {
 public:
  Cholesky() = default;
  /// Reads the upper triangle of `a`. A pivot below 1e-12 counts as 1e-12.
  explicit Cholesky(Matrix a);

  /// The factor of A with one more row and column, whose size() + 1 numbers are `column`: the bits
  /// of a factor of the whole, for a square of its size.
  void append(std::span<const double> column);

  [[nodiscard]] std::size_t size() const { return upper_.size; }

  /// x becomes L^-1 x; `x` has room for padded(size()) numbers (vectors.h).
  void solve_lower(std::span<double> x) const;
  /// x becomes L'^-1 x.
  void solve_upper(std::span<double> x) const;

  /// Sum of the logarithms of the diagonal of L.
  [[nodiscard]] double log_diagonal() const;

  [[nodiscard]] Matrix inverse() const;

 private:
  void finish_row(std::size_t k);
  void subtract_row(std::size_t k, std::size_t end);
  void solve_from(std::size_t first, std::span<double> x) const;
  void subtract_columns(std::size_t k, std::size_t next, std::span<double> x) const;

  Matrix upper_;  // L': row i holds column i of L
};

}  // namespace hpo
