#pragma once
// Sums over long arrays: fast on every instruction set, with the same bits on each.

#include <array>
#include <cstddef>

namespace hpo {

/// Arrays have room for a multiple of this many numbers, the rest filled with 0.
inline constexpr std::size_t kLanes = 8;

[[nodiscard]] constexpr std::size_t padded(std::size_t n) {
  return (n + kLanes - 1) / kLanes * kLanes;
}

/// y += a x, n a multiple of kLanes.
void add_scaled(double* y, const double* x, double a, std::size_t n);

/// The same for kTogether arrays at once, with the bits of one call after another.
inline constexpr std::size_t kTogether = 4;
void add_scaled(double* y, const std::array<const double*, kTogether>& x,
                const std::array<double, kTogether>& a, std::size_t n);

/// x . y in kLanes sums side by side, n a multiple of kLanes.
[[nodiscard]] double dot(const double* x, const double* y, std::size_t n);

/// The same for kTogether arrays y, with the bits of one call after another.
[[nodiscard]] std::array<double, kTogether> dot(const double* x,
                                                const std::array<const double*, kTogether>& y,
                                                std::size_t n);

/// sum[i] += weight (at - x[i])^2, n a multiple of kLanes.
void add_squares(double* sum, const double* x, double at, double weight, std::size_t n);

}  // namespace hpo
