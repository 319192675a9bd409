#pragma once
// Policies from outside: what they answer is held to what a policy promises (policy.h).

#include <memory>

#include "nn/adapt/policy.h"

namespace nn {

/// The policy of a kind that a plugin brought. What it throws, and what it answers that can't be,
/// becomes a base::Error (study) that begins with the plugin's path; throws SpecError where it
/// refuses the network.
[[nodiscard]] std::unique_ptr<Policy> guarded(const PolicyKind& kind, const PolicySetup& setup);

}  // namespace nn
