#include "hpo/samplers/vectors.h"

#include <array>

#include "hpo/samplers/each_vector.h"

namespace hpo {

TRELLIS_EACH_VECTOR
void add_scaled(double* __restrict y, const double* __restrict x, double a, std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) y[i + k] += a * x[i + k];
  }
}

TRELLIS_EACH_VECTOR
void add_scaled(double* __restrict y, const std::array<const double*, kTogether>& x,
                const std::array<double, kTogether>& a, std::size_t n) {
  const double* __restrict first = x[0];
  const double* __restrict second = x[1];
  const double* __restrict third = x[2];
  const double* __restrict fourth = x[3];
  const double by_first = a[0], by_second = a[1], by_third = a[2], by_fourth = a[3];
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t k = i; k < i + kLanes; ++k) {
      y[k] = (((y[k] + by_first * first[k]) + by_second * second[k]) + by_third * third[k]) +
             by_fourth * fourth[k];
    }
  }
}

TRELLIS_EACH_VECTOR
std::array<double, kTogether> dot(const double* __restrict x,
                                  const std::array<const double*, kTogether>& y, std::size_t n) {
  const double* __restrict first = y[0];
  const double* __restrict second = y[1];
  const double* __restrict third = y[2];
  const double* __restrict fourth = y[3];
  std::array<std::array<double, kLanes>, kTogether> sums{};
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) sums[0][k] += x[i + k] * first[i + k];
    for (std::size_t k = 0; k < kLanes; ++k) sums[1][k] += x[i + k] * second[i + k];
    for (std::size_t k = 0; k < kLanes; ++k) sums[2][k] += x[i + k] * third[i + k];
    for (std::size_t k = 0; k < kLanes; ++k) sums[3][k] += x[i + k] * fourth[i + k];
  }
  std::array<double, kTogether> out{};
  for (std::size_t i = 0; i < kTogether; ++i) {
    for (const double part : sums[i]) out[i] += part;
  }
  return out;
}

TRELLIS_EACH_VECTOR
double dot(const double* __restrict x, const double* __restrict y, std::size_t n) {
  std::array<double, kLanes> sums{};
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) sums[k] += x[i + k] * y[i + k];
  }
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum;
}

TRELLIS_EACH_VECTOR
void add_squares(double* __restrict sum, const double* __restrict x, double at, double weight,
                 std::size_t n) {
  for (std::size_t i = 0; i < n; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) {
      const double t = at - x[i + k];
      sum[i + k] += weight * (t * t);
    }
  }
}

}  // namespace hpo
