#pragma once
// Fractions of an epoch as borders of a grid.

#include <cstdint>
#include <initializer_list>
#include <span>

namespace nn {

/// Most borders that an epoch can have.
inline constexpr std::int64_t kMaxGrid = 1000;

/// The smallest number of borders an epoch for which every one of `epochs` is a border. Throws
/// Error for a time that is no fraction with a denominator of at most kMaxGrid.
[[nodiscard]] std::int64_t grid_of(std::span<const double> epochs);

/// The border that `epochs` is; it is one.
[[nodiscard]] std::int64_t border_of(double epochs, std::int64_t grid);

}  // namespace nn
