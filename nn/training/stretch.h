#pragma once
// A stretch of training: where it begins and ends, counted in epochs, steps and rows.

#include <compare>
#include <cstdint>

#include "nn/training/hyper.h"

namespace nn {

/// Training from one border of an absolute grid to another. Border i lies i / per_epoch epochs
/// after the network's birth, after floor(steps an epoch * i / per_epoch) steps; epoch e visits the
/// rows in the order permutation(hyper.shuffle, e), wherever the stretch begins. Encodable.
struct Stretch {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t per_epoch = 1;  ///< borders an epoch, at least 1
  auto operator<=>(const Stretch&) const = default;
};

/// Returns the same stretch on the coarsest grid that has both of its borders, so that equal work
/// has equal values.
[[nodiscard]] Stretch reduced(const Stretch& stretch);

/// Returns the length of a stretch in epochs: (to - from) / per_epoch.
[[nodiscard]] double epochs_in(const Stretch& stretch);

/// Returns the hyperparameters without everything that has no effect on this stretch: of the
/// learning rates, those that hold on it remain, as the optimizer's own rate if there is only one.
/// Trials whose schedules agree on a stretch train it with equal hyperparameters, so it has one key
/// and runs once.
[[nodiscard]] Hyper hyper_on(Hyper hyper, const Stretch& stretch);

/// Returns the optimizer steps of an epoch of `rows` rows.
[[nodiscard]] constexpr std::int64_t steps_per_epoch(std::int64_t rows, std::int32_t batch) {
  return (rows + batch - 1) / batch;
}

/// Returns the steps from the network's birth to a border of the stretch's grid, if `steps` make an
/// epoch.
[[nodiscard]] std::int64_t steps_to(std::int64_t border, const Stretch& stretch,
                                    std::int64_t steps);

/// Returns the rows that a stretch visits if an epoch has `rows` rows and a step takes `batch` of
/// them.
[[nodiscard]] std::int64_t rows_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch);

/// Returns the optimizer steps of a stretch, from the same numbers.
[[nodiscard]] std::int64_t steps_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch);

}  // namespace nn
