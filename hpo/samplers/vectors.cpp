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
