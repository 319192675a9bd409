#pragma once
// Fractions of an epoch as borders of a grid.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace nn {

/// Most borders that an epoch can have.
inline constexpr std::int64_t kMaxGrid = 1000;

/// The smallest number of borders an epoch for which every one of `epochs` is a border. Throws
/// base::Error (study) for a time that is no fraction with a denominator of at most kMaxGrid.
[[nodiscard]] std::int64_t grid_of(std::span<const double> epochs);

/// The border that `epochs` is; it is one.
[[nodiscard]] std::int64_t border_of(double epochs, std::int64_t grid);

/// The last border at or before `epochs`.
[[nodiscard]] std::int64_t last_border_by(double epochs, std::int64_t grid);

/// The first border at or behind `until` with a step of the training between `from` and it, when an
/// epoch has `steps` of them; the end of the epoch of `from` at the latest.
[[nodiscard]] std::int64_t with_a_step(std::int64_t from, std::int64_t until, std::int64_t grid,
                                       std::int64_t steps);

/// Turns at equal distances, as borders of a grid.
struct Beat {
  std::int64_t first = 1, every = 1, last = 0;

  /// By the fields of a policy, in epochs: `from` 0 is `every`, `until` 0 the end of `epochs`.
  [[nodiscard]] static Beat of(double every, double from, double until, std::int64_t epochs,
                               std::int64_t grid);

  /// The first turn at `border` or behind it; nothing after the last one.
  [[nodiscard]] std::optional<std::int64_t> from(std::int64_t border) const;
};

}  // namespace nn
