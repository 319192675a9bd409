// The kinds of policies. Adding one: a file pair in this folder that defines `PolicyKind
// <kind>_policy()`, and its line in the list below.

#include <string>

#include "nn/adapt/policy.h"
#include "nn/registry.h"

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

std::span<const PolicyKind> policies() {
#define TRELLIS_ENTRY(kind) kind##_policy(),
  static const PolicyKind kPolicies[] = {TRELLIS_POLICIES(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kPolicies;
}

const PolicyKind& policy_of(std::string_view kind) {
  std::vector<std::string> known;
  for (const PolicyKind& policy : policies()) {
    if (policy.info.kind == kind) return policy;
    known.push_back(policy.info.kind);
  }
  throw unknown_kind("policy", kind, known);
}

}  // namespace nn
