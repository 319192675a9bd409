// The kinds of losses. Adding one: a file pair in this folder that defines `const Loss&
// <kind>_loss()`, and its line in the list below.

#include "nn/registry.h"

#include "nn/losses/loss.h"

#define TRELLIS_LOSSES(ADD) \
  ADD(cross_entropy)        \
  ADD(bce)                  \
  ADD(mse)                  \
  ADD(mae)                  \
  ADD(huber)

namespace nn {

#define TRELLIS_DECLARE(kind) const Loss& kind##_loss();
TRELLIS_LOSSES(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<const Loss*>& loss_registry() {
#define TRELLIS_ENTRY(kind) &kind##_loss(),
  static const base::Registry<const Loss*> kRegistry{TRELLIS_LOSSES(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const Loss* const> losses() { return loss_registry().entries(); }

const Loss& loss_of(std::string_view kind) { return entry_of(loss_registry(), kind, "loss"); }

std::span<const KindInfo> loss_kinds() { return loss_registry().infos(); }

const KindInfo& loss_kind(std::string_view kind) { return loss_of(kind).info(); }

TargetKind target_kind(std::string_view loss) { return loss_of(loss).target(); }

std::int64_t outputs_for(std::string_view loss, std::int64_t of_data) {
  return loss_of(loss).outputs(of_data);
}

}  // namespace nn
