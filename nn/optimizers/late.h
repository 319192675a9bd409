#pragma once
// Optimizers whose gradients are one step late: a step applies the gradient of the step before, so
// that the sums of one step can be under way while the next one is computed. Adam, sgd and the
// others are unchanged; the first step applies nothing. Slots: the gradient that waits, then those
// of the optimizer. Not in the registry: `late` is no kind of a study file, but an option of
// training (`train.late`).

#include <string>
#include <string_view>

#include "nn/optimizers/optimizer.h"

namespace nn {

/// Returns the word for an optimizer of that kind with late gradients, as optimizer_of() knows it.
[[nodiscard]] std::string late_kind(std::string_view kind);

/// Returns the kind of which `word` is the late one; empty if it is none.
[[nodiscard]] std::string_view kind_of_late(std::string_view word);

/// Returns that optimizer with late gradients. `optimizer` is an entry of the registry.
[[nodiscard]] const Optimizer& late_optimizer(const Optimizer& optimizer);

}  // namespace nn
