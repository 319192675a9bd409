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

std::span<const ReshapeKind* const> reshape_kinds() {
#define TRELLIS_ENTRY(kind) &kind##_operation(),
  static const ReshapeKind* const kKinds[] = {TRELLIS_OPERATIONS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kKinds;
}

const ReshapeKind& reshape_kind_of(std::string_view kind) {
  return find_kind(reshape_kinds(), kind, "operation");
}

std::span<const KindInfo> operation_kinds() {
  static const auto kTable = kind_table(reshape_kinds());
  return kTable;
}

const KindInfo& operation_kind(std::string_view kind) { return reshape_kind_of(kind).info(); }

}  // namespace nn
