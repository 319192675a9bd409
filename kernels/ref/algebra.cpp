#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/ref/ref.h"

namespace kern::ref {
namespace {

/// A square matrix's element.
double& at(double* a, int n, int row, int col) {
  return a[static_cast<std::size_t>(row) * static_cast<std::size_t>(n) +
           static_cast<std::size_t>(col)];
}

/// s = L L^T in place, lower triangle.
bool cholesky(int n, double* s) {
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      double sum = at(s, n, i, j);
      for (int k = 0; k < j; ++k) sum -= at(s, n, i, k) * at(s, n, j, k);
      if (i == j && !(sum > 0)) return false;
      at(s, n, i, j) = i == j ? std::sqrt(sum) : sum / at(s, n, j, j);
    }
  }
  return true;
}

/// One rotation of Jacobi's method that makes a[p, q] zero; `v` collects the rotations' rows.
void rotate(int n, double* a, double* v, int p, int q) {
  const double apq = at(a, n, p, q);
  if (apq == 0) return;
  const double theta = (at(a, n, q, q) - at(a, n, p, p)) / (2 * apq);
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < n; ++k) {
    const double x = at(a, n, k, p), y = at(a, n, k, q);
    at(a, n, k, p) = c * x - s * y;
    at(a, n, k, q) = s * x + c * y;
  }
  for (int k = 0; k < n; ++k) {
    const double x = at(a, n, p, k), y = at(a, n, q, k);
    at(a, n, p, k) = c * x - s * y;
    at(a, n, q, k) = s * x + c * y;
    const double vx = at(v, n, p, k), vy = at(v, n, q, k);
    at(v, n, p, k) = c * vx - s * vy;
    at(v, n, q, k) = s * vx + c * vy;
  }
}

}  // namespace

void add_gram(int rows, int n, const double* a, double* s) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      for (int r = 0; r < rows; ++r) at(s, n, i, j) += a[r * n + i] * a[r * n + j];
    }
  }
}

bool solve_positive(int n, int m, double* s, double* b) {
  if (!cholesky(n, s)) return false;
  for (int c = 0; c < m; ++c) {
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < i; ++k) b[i * m + c] -= at(s, n, i, k) * b[k * m + c];
      b[i * m + c] /= at(s, n, i, i);
    }
    for (int i = n - 1; i >= 0; --i) {
      for (int k = i + 1; k < n; ++k) b[i * m + c] -= at(s, n, k, i) * b[k * m + c];
      b[i * m + c] /= at(s, n, i, i);
    }
  }
  return true;
}

void eigen_symmetric(int n, double* a, double* values) {
  constexpr int kSweeps = 60;  // each squares what is left off the diagonal; a dozen is enough
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> v(size * size);
  for (int i = 0; i < n; ++i) at(v.data(), n, i, i) = 1;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) rotate(n, a, v.data(), p, q);
    }
  }
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int i) { return at(a, n, i, i); });
  for (int i = 0; i < n; ++i) values[i] = at(a, n, order[std::size_t(i)], order[std::size_t(i)]);
  for (int i = 0; i < n; ++i) {
    std::copy_n(&at(v.data(), n, order[std::size_t(i)], 0), n, &at(a, n, i, 0));
  }
}

}  // namespace kern::ref
