#pragma once
// tidy: removes units of a layer that add nothing, so that what the network computes stays as it
// is:
//   unread      every outgoing weight is 0: exact.
//   duplicates  units made by the same numbers (weights, bias, normalisation, bit for bit) become
//   one,
//               which takes over the outgoing weights of all: exact up to rounding, the inverse of
//               widening by copies, optimizer slots included.
//   dead        0 for every row of the calibration: exact on those rows, and wherever the unit
//   stays
//               0.
// How many are left only the numbers tell; one stays in any case.

#include "nn/reshape/kind.h"

namespace nn {

[[nodiscard]] const ReshapeKind& tidy_operation();

}  // namespace nn
