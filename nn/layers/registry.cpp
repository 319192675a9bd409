// The kinds of layers. Adding one: a file pair in this folder that defines `const Layer&
// <kind>_layer()`, and its line in the list below (README.md beside this file).

#include "nn/registry.h"

#include "nn/layers/layer.h"

#define TRELLIS_LAYERS(ADD) \
  ADD(dense)                \
  ADD(conv2d)               \
  ADD(max_pool)             \
  ADD(avg_pool)             \
  ADD(global_pool)          \
  ADD(batch_norm)           \
  ADD(layer_norm)           \
  ADD(dropout)              \
  ADD(residual_begin)       \
  ADD(residual_end)         \
  ADD(flatten)

namespace nn {

#define TRELLIS_DECLARE(kind) const Layer& kind##_layer();
TRELLIS_LAYERS(TRELLIS_DECLARE)
#undef TRELLIS_DECLARE

namespace {

const base::Registry<const Layer*>& layer_registry() {
#define TRELLIS_ENTRY(kind) &kind##_layer(),
  static const base::Registry<const Layer*> kRegistry{TRELLIS_LAYERS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kRegistry;
}

}  // namespace

std::span<const Layer* const> layers() { return layer_registry().entries(); }

const Layer& layer_of(std::string_view kind) { return entry_of(layer_registry(), kind, "layer"); }

std::span<const KindInfo> layer_kinds() { return layer_registry().infos(); }

const KindInfo& layer_kind(std::string_view kind) { return layer_of(kind).info(); }

}  // namespace nn
