// The kinds of optimizers. Adding one: a file pair in this folder that defines `const Optimizer&
// <kind>_optimizer()`, and its line in the list below.

#include "nn/registry.h"

#include "nn/optimizers/late.h"
#include "nn/optimizers/optimizer.h"
#include "nn/optimizers/stale.h"

#define TRELLIS_OPTIMIZERS(ADD) \
  ADD(adam)                     \
  ADD(adamw)                    \
  ADD(sgd)                      \
  ADD(rmsprop)                  \
  ADD(lars)                     \
  ADD(lamb)

namespace nn {

#define TRELLIS_DECLARE(kind) const Optimizer& kind##_optimizer();
TRELLIS_OPTIMIZERS(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<const Optimizer*>& optimizer_registry() {
#define TRELLIS_ENTRY(kind) &kind##_optimizer(),
  static const base::Registry<const Optimizer*> kRegistry{TRELLIS_OPTIMIZERS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

/// The registry's word in that of an optimizer of late or stale gradients.
std::string_view own_kind(std::string_view kind) {
  const std::string_view late = kind_of_late(kind), stale = kind_of_stale(kind);
  return !late.empty() ? late : !stale.empty() ? stale : kind;
}

}  // namespace

std::span<const Optimizer* const> optimizers() { return optimizer_registry().entries(); }

const Optimizer* find_optimizer(std::string_view kind) {
  const std::string_view late = kind_of_late(kind), stale = kind_of_stale(kind);
  const Optimizer* const entry = optimizer_registry().find(own_kind(kind));
  if (entry == nullptr) return nullptr;
  return !late.empty()    ? &late_optimizer(*entry)
         : !stale.empty() ? &stale_optimizer(*entry)
                          : entry;
}

const Optimizer& optimizer_of(std::string_view kind) {
  if (const Optimizer* const found = find_optimizer(kind)) return *found;
  throw unknown_kind("optimizer", own_kind(kind), optimizer_registry().kinds());
}

std::span<const KindInfo> optimizer_kinds() { return optimizer_registry().infos(); }

const KindInfo& optimizer_kind(std::string_view kind) { return optimizer_of(kind).info(); }

int optimizer_slots(const Choice& optimizer) {
  const Optimizer& entry = optimizer_of(optimizer.kind);
  return entry.slots(complete(entry.info(), optimizer.fields, "optimizer " + optimizer.kind));
}

}  // namespace nn
