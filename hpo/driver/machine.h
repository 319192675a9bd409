#pragma once
// What this machine offers to a study's trials.

#include "hpo/study/trial_spec.h"

namespace hpo {

/// Cores that this process may use.
[[nodiscard]] int usable_cores();

/// Throws rt::Error (no_device) when all cores, GPUs and memory that this process may use can never
/// give a trial what it asks for, naming both.
void require_resources(const Resources& asked);

}  // namespace hpo
