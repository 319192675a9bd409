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

}  // namespace

std::span<const Optimizer* const> optimizers() { return optimizer_registry().entries(); }

const Optimizer& optimizer_of(std::string_view kind) {
  if (const std::string_view own = kind_of_late(kind); !own.empty())
    return late_optimizer(entry_of(optimizer_registry(), own, "optimizer"));
  if (const std::string_view own = kind_of_stale(kind); !own.empty())
    return stale_optimizer(entry_of(optimizer_registry(), own, "optimizer"));
  return entry_of(optimizer_registry(), kind, "optimizer");
}

std::span<const KindInfo> optimizer_kinds() { return optimizer_registry().infos(); }

const KindInfo& optimizer_kind(std::string_view kind) { return optimizer_of(kind).info(); }

int optimizer_slots(const Choice& optimizer) {
  const Optimizer& entry = optimizer_of(optimizer.kind);
  return entry.slots(complete(entry.info(), optimizer.fields, "optimizer " + optimizer.kind));
}

}  // namespace nn
