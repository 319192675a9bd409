#pragma once
// widen: more units in a layer. Layers that share their units (a residual sum) grow together. What
// the network computes stays as it is, whatever the activation, batch norms in training included,
// under the rules
//   fresh      incoming weights drawn, outgoing weights 0: exact. Outgoing weights learn from the
//              first step, incoming ones from the second.
// New units start with empty optimizer slots and their own count of steps.

#include "nn/reshape/kind.h"

namespace nn {

[[nodiscard]] const ReshapeKind& widen_operation();

}  // namespace nn
