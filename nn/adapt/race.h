#pragma once
// race: fork the network into itself and wider, deeper, narrower ones, train each for a while on
// the same batches, go on with the one that is worth it (Elsken et al. 1711.04528 raced morphisms
// the same way, over whole trainings).

#include "nn/adapt/policy.h"

namespace nn {

[[nodiscard]] PolicyKind race_policy();

}  // namespace nn
