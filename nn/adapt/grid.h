#pragma once
// Fractions of an epoch as boundaries of a grid.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

namespace nn {

/// Most boundaries that an epoch can have.
inline constexpr std::int64_t kMaxGrid = 1000;

/// The smallest number of boundaries an epoch for which every one of `epochs` is a boundary. Throws
/// base::Error (study) for a time that is no fraction with a denominator of at most kMaxGrid.
[[nodiscard]] std::int64_t grid_of(std::span<const double> epochs);

/// The boundary that `epochs` is; it is one.
[[nodiscard]] std::int64_t boundary_of(double epochs, std::int64_t grid);

/// The last boundary at or before `epochs`.
[[nodiscard]] std::int64_t last_boundary_by(double epochs, std::int64_t grid);

/// The first boundary at or behind `until` with a step of the training between `from` and it, when
/// an epoch has `steps` of them; the end of the epoch of `from` at the latest.
[[nodiscard]] std::int64_t with_a_step(std::int64_t from, std::int64_t until, std::int64_t grid,
                                       std::int64_t steps);

/// Turns at equal distances, as boundaries of a grid.
struct Beat {
  std::int64_t first = 1, every = 1, last = 0;

  /// By the fields of a policy, in epochs: `from` 0 is `every`, `until` 0 the end of `epochs`.
  [[nodiscard]] static Beat of(double every, double from, double until, std::int64_t epochs,
                               std::int64_t grid);

  /// The first turn at `boundary` or behind it; nothing after the last one.
  [[nodiscard]] std::optional<std::int64_t> from(std::int64_t boundary) const;
};

}  // namespace nn
