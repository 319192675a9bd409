#include "hpo/samplers/symmetric.h"

#include <cmath>

namespace hpo {

namespace {

constexpr int kSweeps = 50;

/// The rotation in the plane (p, q) that makes element (p, q) zero.
struct Rotation {
  std::size_t p, q;
  double c, s;

  /// Columns p and q of a matrix with n rows.
  void columns(std::vector<double>& m, std::size_t n) const {
    for (std::size_t k = 0; k < n; ++k) {
      const double a = m[k * n + p], b = m[k * n + q];
      m[k * n + p] = c * a - s * b;
      m[k * n + q] = s * a + c * b;
    }
  }
  void rows(std::vector<double>& m, std::size_t n) const {
    for (std::size_t k = 0; k < n; ++k) {
      const double a = m[p * n + k], b = m[q * n + k];
      m[p * n + k] = c * a - s * b;
      m[q * n + k] = s * a + c * b;
    }
  }
};

double off_diagonal(const std::vector<double>& m, std::size_t n) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) sum += m[i * n + j] * m[i * n + j];
  }
  return sum;
}

}  // namespace

EigenPairs eigen_pairs(std::vector<double> m, std::size_t n) {
  EigenPairs out{.values = std::vector<double>(n), .vectors = std::vector<double>(n * n)};
  double size = 0;
  for (const double x : m) size += x * x;
  for (std::size_t i = 0; i < n; ++i) out.vectors[i * n + i] = 1;
  for (int sweep = 0; sweep < kSweeps && off_diagonal(m, n) > 1e-30 * size; ++sweep) {
    for (std::size_t p = 0; p < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = m[p * n + q];
        if (apq == 0) continue;
        const double theta = (m[q * n + q] - m[p * n + p]) / (2 * apq);
        const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
        const double c = 1 / std::hypot(t, 1.0);
        const Rotation rotation{.p = p, .q = q, .c = c, .s = t * c};
        rotation.columns(m, n);
        rotation.rows(m, n);
        rotation.columns(out.vectors, n);
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) out.values[i] = m[i * n + i];
  return out;
}

std::vector<double> product(std::span<const double> matrix, std::span<const double> vector) {
  const std::size_t n = vector.size();
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) out[i] += matrix[i * n + j] * vector[j];
  }
  return out;
}

std::vector<double> transposed_product(std::span<const double> matrix,
                                       std::span<const double> vector) {
  const std::size_t n = vector.size();
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) out[j] += matrix[i * n + j] * vector[i];
  }
  return out;
}

}  // namespace hpo
