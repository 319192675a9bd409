#pragma once
// Sums over the steps of a segment that are done.

#include <cstdint>

#include "kernels/kernels.h"
#include "nn/model/slab.h"
#include "nn/training/train.h"

namespace nn {

/// Sums over steps. A training that is handed over takes them along.
struct Tally {
  double loss = 0;  ///< the sum over the rows
  std::int64_t correct = 0, rows = 0, steps = 0;
  bool diverged = false;

  /// Adds a step on `count` rows, here and in `state`. Returns false if the step diverged, and then
  /// leaves `state` as it was.
  bool add(const kern::LossSums& sums, std::int64_t count, SlabState& state);
  [[nodiscard]] TrainStats stats(bool stopped) const;
};

}  // namespace nn
