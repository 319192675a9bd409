// The kinds of stopping rules. Adding one: a file pair in this folder that defines `StoppingKind
// <kind>_rule()`, and its line in the list below.

#include "hpo/stopping/registry.h"

#include "base/registry.h"

#define TRELLIS_RULES(ADD) \
  ADD(asha)                \
  ADD(auto)                \
  ADD(none)                \
  ADD(hyperband)           \
  ADD(successive_halving)  \
  ADD(median)              \
  ADD(percentile)          \
  ADD(patience)            \
  ADD(threshold)           \
  ADD(any_of)              \
  ADD(all_of)

namespace hpo {

#define TRELLIS_DECLARE(kind) StoppingKind kind##_rule();
TRELLIS_RULES(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<StoppingKind>& rule_registry() {
#define TRELLIS_ENTRY(kind) kind##_rule(),
  static const base::Registry<StoppingKind> kRegistry{TRELLIS_RULES(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const base::KindInfo> stopping_kinds() { return rule_registry().infos(); }

const StoppingKind* find_stopping_kind(std::string_view kind) { return rule_registry().find(kind); }

std::unique_ptr<StoppingRule> make_stopping_rule(std::string_view kind, const RuleSetup& setup) {
  const StoppingKind* found = find_stopping_kind(kind);
  return found != nullptr ? found->make(setup) : nullptr;
}

}  // namespace hpo
