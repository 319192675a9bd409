#include "nn/training/tally.h"

#include <cmath>

namespace nn {

bool Tally::add(const kern::LossSums& sums, std::int64_t count, SlabState& state) {
  loss += sums.loss;
  correct += sums.correct;
  rows += count;
  ++steps;
  diverged = !std::isfinite(sums.loss);
  if (diverged) return false;
  ++state.steps;
  state.rows += count;
  return true;
}

TrainStats Tally::stats(bool stopped) const {
  return {.loss = rows > 0 ? loss / static_cast<double>(rows) : 0,
          .correct = correct,
          .rows = rows,
          .steps = steps,
          .diverged = diverged,
          .stopped = stopped};
}

}  // namespace nn
