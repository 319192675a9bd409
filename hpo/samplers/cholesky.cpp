#include "hpo/samplers/cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "hpo/samplers/vectors.h"

namespace hpo {

namespace {

constexpr double kLeastPivot = 1e-12;

/// Where the block of lanes begins that holds `i`.
std::size_t block_of(std::size_t i) { return i / kLanes * kLanes; }

}  // namespace

Matrix::Matrix(std::size_t n) : size(n), stride(padded(n)), numbers(n * padded(n)) {}

Cholesky::Cholesky(Matrix a) : upper_(std::move(a)) {
  std::size_t k = 0;
  for (; k + kTogether <= upper_.size; k += kTogether) {
    std::array<const double*, kTogether> rows{};
    for (std::size_t r = 0; r < kTogether; ++r) {
      rows[r] = upper_.row(k + r);
      finish_row(k + r);
      subtract_row(k + r, k + kTogether);
    }
    for (std::size_t i = k + kTogether; i < upper_.size; ++i) {
      const std::size_t from = block_of(i);
      std::array<const double*, kTogether> pivots{};
      std::array<double, kTogether> scales{};
      for (std::size_t r = 0; r < kTogether; ++r) {
        pivots[r] = rows[r] + from;
        scales[r] = -rows[r][i];
      }
      add_scaled(upper_.row(i) + from, pivots, scales, upper_.stride - from);
    }
  }
  for (; k < upper_.size; ++k) {
    finish_row(k);
    subtract_row(k, upper_.size);
  }
}

/// From what is left of row k of A once the rows before are subtracted to that of the factor.
void Cholesky::finish_row(std::size_t k) {
  double* pivot = upper_.row(k);
  const double root = std::sqrt(std::max(pivot[k], kLeastPivot));
  std::fill(pivot, pivot + k, 0.0);
  pivot[k] = root;
  for (std::size_t j = k + 1; j < upper_.size; ++j) pivot[j] /= root;
}

/// What row k of the factor explains of the rows behind it, up to `end`.
void Cholesky::subtract_row(std::size_t k, std::size_t end) {
  const double* pivot = upper_.row(k);
  for (std::size_t i = k + 1; i < end; ++i) {
    const std::size_t from = block_of(i);
    add_scaled(upper_.row(i) + from, pivot + from, -pivot[i], upper_.stride - from);
  }
}

void Cholesky::append(std::span<const double> column) {
  const std::size_t n = size();
  std::vector<double> solved(padded(n + 1));
  std::copy_n(column.begin(), n, solved.begin());
  solve_lower(solved);
  double pivot = column[n];
  for (std::size_t k = 0; k < n; ++k) pivot -= solved[k] * solved[k];
  Matrix wider;
  if (padded(n + 1) > upper_.stride) {
    wider = Matrix(n + 1);
    for (std::size_t k = 0; k < n; ++k) std::copy_n(upper_.row(k), upper_.stride, wider.row(k));
  } else {
    wider = std::move(upper_);
    wider.size = n + 1;
    wider.numbers.resize((n + 1) * wider.stride);
  }
  for (std::size_t k = 0; k < n; ++k) wider.row(k)[n] = solved[k];
  wider.row(n)[n] = std::sqrt(std::max(pivot, kLeastPivot));
  upper_ = std::move(wider);
}

void Cholesky::solve_lower(std::span<double> x) const { solve_from(0, x); }

/// The same for an x whose first `first` entries are 0.
void Cholesky::solve_from(std::size_t first, std::span<double> x) const {
  static_assert(kLanes == 2 * kTogether);
  for (std::size_t k = first; k < size();) {
    const std::size_t begin = k, next = block_of(k) + kLanes;
    for (; k < std::min(next, size()); ++k) {
      const double* column = upper_.row(k);
      x[k] /= column[k];
      for (std::size_t j = k + 1; j < next; ++j) x[j] -= column[j] * x[k];
    }
    if (begin + kLanes == k) {
      subtract_columns(begin, next, x);
      subtract_columns(begin + kTogether, next, x);
    } else if (next < upper_.stride) {
      for (std::size_t i = begin; i < k; ++i)
        add_scaled(&x[0] + next, upper_.row(i) + next, -x[i], upper_.stride - next);
    }
  }
}

/// What kTogether solved entries from `k` on explain of those from `next` on.
void Cholesky::subtract_columns(std::size_t k, std::size_t next, std::span<double> x) const {
  std::array<const double*, kTogether> columns{};
  std::array<double, kTogether> scales{};
  for (std::size_t r = 0; r < kTogether; ++r) {
    columns[r] = upper_.row(k + r) + next;
    scales[r] = -x[k + r];
  }
  add_scaled(&x[0] + next, columns, scales, upper_.stride - next);
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
    const double* row = columns.row(i);
    for (std::size_t j = i; j < size();) {
      const std::size_t from = block_of(j), length = upper_.stride - from;
      if (j % kTogether == 0 && j + kTogether <= size()) {
        const std::array<const double*, kTogether> others{
            columns.row(j) + from, columns.row(j + 1) + from, columns.row(j + 2) + from,
            columns.row(j + 3) + from};
        for (const double sum : dot(row + from, others, length)) {
          result.row(i)[j] = result.row(j)[i] = sum;
          ++j;
        }
      } else {
        const double sum = dot(row + from, columns.row(j) + from, length);
        result.row(i)[j] = result.row(j)[i] = sum;
        ++j;
      }
    }
  }
  return result;
}

}  // namespace hpo
