#include "hpo/samplers/cholesky.h"

#include <algorithm>
#include <cmath>

#include "hpo/samplers/vectors.h"

namespace hpo {

namespace {

constexpr double kLeastPivot = 1e-12;

/// Where the block of lanes begins that holds `i`.
std::size_t block_of(std::size_t i) { return i / kLanes * kLanes; }

}  // namespace

Matrix::Matrix(std::size_t n) : size(n), stride(padded(n)), numbers(n * padded(n)) {}

Cholesky::Cholesky(Matrix a) : upper_(std::move(a)) {
  for (std::size_t k = 0; k < upper_.size; ++k) {
    double* pivot = upper_.row(k);
    const double root = std::sqrt(std::max(pivot[k], kLeastPivot));
    std::fill(pivot, pivot + k, 0.0);
    pivot[k] = root;
    for (std::size_t j = k + 1; j < upper_.size; ++j) pivot[j] /= root;
    for (std::size_t i = k + 1; i < upper_.size; ++i) {
      const std::size_t from = block_of(i);
      add_scaled(upper_.row(i) + from, pivot + from, -pivot[i], upper_.stride - from);
    }
  }
}

void Cholesky::solve_lower(std::span<double> x) const { solve_from(0, x); }

/// The same for an x whose first `first` entries are 0.
void Cholesky::solve_from(std::size_t first, std::span<double> x) const {
  for (std::size_t k = first; k < size(); ++k) {
    const double* column = upper_.row(k);
    const double solved = x[k] / column[k];
    const std::size_t next = block_of(k) + kLanes;
    for (std::size_t j = k + 1; j < next; ++j) x[j] -= column[j] * solved;
    add_scaled(&x[0] + next, column + next, -solved, upper_.stride - next);
    x[k] = solved;
  }
}

void Cholesky::solve_upper(std::span<double> x) const {
  for (std::size_t k = size(); k-- > 0;) {
    const double* row = upper_.row(k);
    double sum = x[k];
    const std::size_t next = block_of(k) + kLanes;
    for (std::size_t j = k + 1; j < next; ++j) sum -= row[j] * x[j];
    sum -= dot(row + next, &x[0] + next, upper_.stride - next);
    x[k] = sum / row[k];
  }
}

double Cholesky::log_diagonal() const {
  double sum = 0;
  for (std::size_t k = 0; k < size(); ++k) sum += std::log(upper_.row(k)[k]);
  return sum;
}

Matrix Cholesky::inverse() const {
  // Row r of `columns` is column r of L^-1, which is 0 before r; A^-1 = L'^-1 L^-1.
  Matrix columns(size()), result(size());
  for (std::size_t r = 0; r < size(); ++r) {
    columns.row(r)[r] = 1;
    solve_from(r, {columns.row(r), columns.stride});
  }
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::size_t j = i; j < size(); ++j) {
      const std::size_t from = block_of(j);
      const double sum = dot(columns.row(i) + from, columns.row(j) + from, upper_.stride - from);
      result.row(i)[j] = result.row(j)[i] = sum;
    }
  }
  return result;
}

}  // namespace hpo
