// The kinds of reshape operations. Adding one: a file pair in this folder that defines `const
// ReshapeKind& <kind>_operation()`, and its line in the list below (README.md beside this file).

#include "nn/registry.h"

#include "nn/reshape/kind.h"

#define TRELLIS_OPERATIONS(ADD) \
  ADD(widen)                    \
  ADD(deepen)                   \
  ADD(shrink)                   \
  ADD(tidy)                     \
  ADD(drop)

namespace nn {

#define TRELLIS_DECLARE(kind) const ReshapeKind& kind##_operation();
TRELLIS_OPERATIONS(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<const ReshapeKind*>& operation_registry() {
#define TRELLIS_ENTRY(kind) &kind##_operation(),
  static const base::Registry<const ReshapeKind*> kRegistry{TRELLIS_OPERATIONS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const ReshapeKind* const> reshape_kinds() { return operation_registry().entries(); }

const ReshapeKind& reshape_kind_of(std::string_view kind) {
  return entry_of(operation_registry(), kind, "operation");
}

std::span<const KindInfo> operation_kinds() { return operation_registry().infos(); }

const KindInfo& operation_kind(std::string_view kind) { return reshape_kind_of(kind).info(); }

}  // namespace nn
