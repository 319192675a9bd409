#pragma once
// Rules together.

#include "hpo/stopping/registry.h"

namespace hpo {

/// A trial is stopped when one of the rules stops it. One of them may pause trials.
[[nodiscard]] StoppingKind any_of_rule();

/// A trial is stopped when all of the rules would stop it: what each said where it last decided
/// about the trial stands until it decides again. None of them may pause trials.
[[nodiscard]] StoppingKind all_of_rule();

}  // namespace hpo
