#pragma once
// plateau: race when the training loss no longer falls for sure, and let the gap between training
// and validation choose who takes part: the underfitting network tries to grow, the overfitting one
// to shrink.
//
// The test is that of an ordinary least-squares line through the losses of a window: with the
// slope's standard error it gives the probability that the true slope is below 0 (the statistic of
// dlib's running_gradient). It only decides when to race: who wins is for the race to say.

#include <span>

#include "nn/adapt/policy.h"

namespace nn {

[[nodiscard]] PolicyKind plateau_policy();

/// The probability that the values fall, from the line through them and normal errors; 0.5 for
/// fewer than three values or equal ones; 1 or 0 where they lie on a line exactly.
[[nodiscard]] double probability_of_falling(std::span<const double> values);

}  // namespace nn
