#pragma once
// Successive halving in step (Jamieson and Talwalkar, "Non-stochastic best arm identification and
// hyperparameter optimization", AISTATS 2016).

#include "hpo/stopping/registry.h"

namespace hpo {

/// Options min, eta and trials. Trials compete in groups of `trials`, by number. At each rung those
/// of a group wait for one another; once all of them were recorded there or ended, the best 1/eta
/// of them (rounded down, at least one; the lower number first among equals) go on and the others
/// are stopped. NaN and +infinity count, and never go on. A report past several rungs counts at one
/// after the other. Free slots go to what was decided, the oldest group first, before another group
/// begins. A group that will not be whole is decided about as it is when nothing else is left to
/// do; trials that come to it afterwards go on while they are among the best 1/eta that came there.
[[nodiscard]] StoppingKind successive_halving_rule();

}  // namespace hpo
