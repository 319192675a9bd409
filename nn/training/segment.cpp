#include "nn/training/segment.h"

#include <numeric>

#include "nn/training/lr_curve.h"

namespace nn {
namespace {

/// Returns the penalty that holds on a segment. Its end is left out of segments that lie on one
/// side of it, so that the end does not change their keys.
UnitPenalty penalty_on(const UnitPenalty& penalty, const Segment& segment) {
  const std::int64_t end = penalty.until * segment.per_epoch;
  if (penalty.strength == 0 || (end > 0 && segment.from >= end)) return {};
  return {penalty.strength, segment.to > end ? penalty.until : 0};
}

}  // namespace

Segment reduced(const Segment& segment) {
  const std::int64_t by = std::gcd(std::gcd(segment.from, segment.to), segment.per_epoch);
  return {segment.from / by, segment.to / by, segment.per_epoch / by};
}

double epochs_in(const Segment& segment) {
  return static_cast<double>(segment.to - segment.from) / static_cast<double>(segment.per_epoch);
}

std::int64_t steps_to(std::int64_t boundary, const Segment& segment, std::int64_t steps) {
  const std::int64_t epoch = boundary / segment.per_epoch;
  return epoch * steps + boundary % segment.per_epoch * steps / segment.per_epoch;
}

std::int64_t rows_in(const Segment& segment, std::int64_t rows, std::int32_t batch) {
  const auto rows_until = [&](std::int64_t boundary) {
    const std::int64_t steps = steps_per_epoch(rows, batch);
    const std::int64_t epoch = boundary / segment.per_epoch;
    return epoch * rows + (steps_to(boundary, segment, steps) - epoch * steps) * batch;
  };
  return rows_until(segment.to) - rows_until(segment.from);
}

std::int64_t steps_in(const Segment& segment, std::int64_t rows, std::int32_t batch) {
  const std::int64_t steps = steps_per_epoch(rows, batch);
  return steps_to(segment.to, segment, steps) - steps_to(segment.from, segment, steps);
}

Hyper hyper_on(Hyper hyper, const Segment& segment) {
  hyper.penalty = penalty_on(hyper.penalty, segment);
  if (hyper.lr.empty()) return hyper;
  // A boundary within an epoch lies up to a step before its moment, hence the epoch's beginning.
  const std::int64_t epoch = segment.from / segment.per_epoch;
  const auto from = static_cast<double>(epoch);
  const double to = static_cast<double>(segment.to) / static_cast<double>(segment.per_epoch);
  hyper.lr = part_of(hyper.lr, from, to);
  const bool one_rate =
      hyper.lr.size() == 1 && hyper.lr[0].shape == LrShape::constant && hyper.lr[0].first > 0;
  // The optimizer's own rate is not used beside a curve, and unused fields must not affect the key.
  hyper.optimizer.fields["lr"] = one_rate ? hyper.lr[0].first : 1.0;
  if (one_rate) hyper.lr.clear();
  return hyper;
}

}  // namespace nn
