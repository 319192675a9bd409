#pragma once
// A segment of training: where it begins and ends, counted in epochs, steps and rows.

#include <compare>
#include <cstdint>

#include "nn/training/hyper.h"

namespace nn {

/// Training from one boundary of an absolute grid to another. Boundary i lies i / per_epoch epochs
/// after the network's birth, after floor(steps an epoch * i / per_epoch) steps; epoch e visits the
/// rows in the order permutation(hyper.shuffle, e), wherever the segment begins. Encodable.
struct Segment {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t per_epoch = 1;  ///< boundaries an epoch, at least 1
  auto operator<=>(const Segment&) const = default;
};

/// Returns the same segment on the coarsest grid that has both of its boundaries, so that equal
/// work has equal values.
[[nodiscard]] Segment reduced(const Segment& segment);

/// Returns the length of a segment in epochs: (to - from) / per_epoch.
[[nodiscard]] double epochs_in(const Segment& segment);

/// Returns the hyperparameters without everything that has no effect on this segment: of the
/// learning rates, those that hold on it remain, as the optimizer's own rate if there is only one.
/// Trials whose schedules agree on a segment train it with equal hyperparameters, so it has one key
/// and runs once.
[[nodiscard]] Hyper hyper_on(Hyper hyper, const Segment& segment);

/// Returns the optimizer steps of an epoch of `rows` rows.
[[nodiscard]] constexpr std::int64_t steps_per_epoch(std::int64_t rows, std::int32_t batch) {
  return (rows + batch - 1) / batch;
}

/// Returns the steps from the network's birth to a boundary of the segment's grid, if `steps` make
/// an epoch.
[[nodiscard]] std::int64_t steps_to(std::int64_t boundary, const Segment& segment,
                                    std::int64_t steps);

/// Returns the rows that a segment visits if an epoch has `rows` rows and a step takes `batch` of
/// them.
[[nodiscard]] std::int64_t rows_in(const Segment& segment, std::int64_t rows, std::int32_t batch);

/// Returns the optimizer steps of a segment, from the same numbers.
[[nodiscard]] std::int64_t steps_in(const Segment& segment, std::int64_t rows, std::int32_t batch);

}  // namespace nn
