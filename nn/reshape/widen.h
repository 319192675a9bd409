#pragma once
// widen: more units in a layer. Layers that share their units (a residual sum) grow together. New
// units have empty optimizer slots and a count of steps of their own; what the network computes
// stays as it is, by the rule
//   fresh      incoming weights drawn, outgoing weights 0: exact, whatever the activation, batch
//              norms in training included. Outgoing weights learn from the first step, incoming
//              ones from the second.
//   pair       two alike (drawn), read with opposite signs: exact up to rounding; both sides learn
//              from the first step (the pair rule of Yuan et al. 2023).
//   replicate  copies of old units in turn, outgoing weights shared among them: exact up to
//              rounding; copies keep slots and births. With noise only nearly (Chen et al. 2016).
//   gradmax    incoming weights 0, outgoing ones the leading left singular vectors of the gradient
//              that a direct connection around the layer would have, at half the mean length of the
//              old ones (Evci et al. 2022): exact up to a bias of 1e-6. Units beyond its rank are
//              fresh.
//   random     both sides drawn: not exact, for comparison.

#include "nn/reshape/kind.h"

namespace nn {

[[nodiscard]] const ReshapeKind& widen_operation();

}  // namespace nn
