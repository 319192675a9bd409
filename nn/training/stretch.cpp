#include "nn/training/stretch.h"

#include <numeric>

#include "nn/training/lr_curve.h"

namespace nn {
namespace {

/// Returns the penalty that holds on a stretch. Its end is left out of stretches that lie on one
/// side of it, so that the end does not change their keys.
UnitPenalty penalty_on(const UnitPenalty& penalty, const Stretch& stretch) {
  const std::int64_t end = penalty.until * stretch.per_epoch;
  if (penalty.strength == 0 || (end > 0 && stretch.from >= end)) return {};
  return {penalty.strength, stretch.to > end ? penalty.until : 0};
}

}  // namespace

Stretch reduced(const Stretch& stretch) {
  const std::int64_t by = std::gcd(std::gcd(stretch.from, stretch.to), stretch.per_epoch);
  return {stretch.from / by, stretch.to / by, stretch.per_epoch / by};
}

double epochs_in(const Stretch& stretch) {
  return static_cast<double>(stretch.to - stretch.from) / static_cast<double>(stretch.per_epoch);
}

std::int64_t steps_to(std::int64_t border, const Stretch& stretch, std::int64_t steps) {
  const std::int64_t epoch = border / stretch.per_epoch;
  return epoch * steps + border % stretch.per_epoch * steps / stretch.per_epoch;
}

std::int64_t rows_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch) {
  const auto rows_until = [&](std::int64_t border) {
    const std::int64_t steps = steps_per_epoch(rows, batch);
    const std::int64_t epoch = border / stretch.per_epoch;
    return epoch * rows + (steps_to(border, stretch, steps) - epoch * steps) * batch;
  };
  return rows_until(stretch.to) - rows_until(stretch.from);
}

std::int64_t steps_in(const Stretch& stretch, std::int64_t rows, std::int32_t batch) {
  const std::int64_t steps = steps_per_epoch(rows, batch);
  return steps_to(stretch.to, stretch, steps) - steps_to(stretch.from, stretch, steps);
}

Hyper hyper_on(Hyper hyper, const Stretch& stretch) {
  hyper.penalty = penalty_on(hyper.penalty, stretch);
  if (hyper.lr.empty()) return hyper;
  // A border within an epoch lies up to a step before its moment, hence the epoch's beginning.
  const std::int64_t epoch = stretch.from / stretch.per_epoch;
  const auto from = static_cast<double>(epoch);
  const double to = static_cast<double>(stretch.to) / static_cast<double>(stretch.per_epoch);
  hyper.lr = part_of(hyper.lr, from, to);
  const bool one_rate =
      hyper.lr.size() == 1 && hyper.lr[0].shape == LrShape::constant && hyper.lr[0].first > 0;
  // The optimizer's own rate is not used beside a curve, and unused fields must not affect the key.
  hyper.optimizer.fields["lr"] = one_rate ? hyper.lr[0].first : 1.0;
  if (one_rate) hyper.lr.clear();
  return hyper;
}

}  // namespace nn
