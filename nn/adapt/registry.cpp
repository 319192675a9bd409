// The kinds of policies. Adding one: a file pair in this folder that defines `PolicyKind
// <kind>_policy()`, and its line in the list below.

#include "nn/registry.h"
#include "nn/adapt/policy.h"

#define TRELLIS_POLICIES(ADD) \
  ADD(auto)                   \
  ADD(schedule)               \
  ADD(race)                   \
  ADD(plateau)                \
  ADD(prune)                  \
  ADD(command)                \
  ADD(plugin)

namespace nn {

#define TRELLIS_DECLARE(kind) PolicyKind kind##_policy();
TRELLIS_POLICIES(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<PolicyKind>& policy_registry() {
#define TRELLIS_ENTRY(kind) kind##_policy(),
  static const base::Registry<PolicyKind> kRegistry{TRELLIS_POLICIES(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const PolicyKind> policies() { return policy_registry().entries(); }

const PolicyKind& policy_of(std::string_view kind) {
  return entry_of(policy_registry(), kind, "policy");
}

}  // namespace nn
