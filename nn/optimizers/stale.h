#pragma once
// Optimizers whose gradients come from replicas that run apart (nn/training/staleness.h): the
// optimizer itself is unchanged, and its fields also say how far the replicas may part. Not in the
// registry, as late.h is not.

#include <optional>
#include <string>
#include <string_view>

#include "nn/fields.h"
#include "nn/optimizers/optimizer.h"
#include "nn/training/staleness.h"

namespace nn {

/// Returns the optimizer with the fields of `staleness`, as optimizer_of() knows it.
[[nodiscard]] Choice stale_choice(Choice optimizer, const Staleness& staleness);

/// Returns those fields of an optimizer; none if its gradients are not stale.
[[nodiscard]] std::optional<Staleness> staleness_of(const Choice& optimizer);

/// Returns the kind of which `word` is the one with stale gradients; empty if it is none.
[[nodiscard]] std::string_view kind_of_stale(std::string_view word);

/// Returns that optimizer with stale gradients. `optimizer` is an entry of the registry.
[[nodiscard]] const Optimizer& stale_optimizer(const Optimizer& optimizer);

}  // namespace nn
