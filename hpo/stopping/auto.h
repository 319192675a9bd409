#pragma once
// What is good without knowing the curves: asha's promotions as long as early losses say something
// about late ones, and no early look where they do not.

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options min and eta. Promotes as asha does; with eta = 2 by default, because many small choices
/// waste less than a few great ones where each of them may be wrong. Trials report between rungs
/// too. A rung whose order trials turn round farther on
/// (RungOrders) stops nobody: who waits there goes on, the lowest number first, and so does who
/// comes. It does again what it did once the trials keep its order.
[[nodiscard]] StoppingKind auto_rule();

}  // namespace hpo
