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

std::span<const Layer* const> layers() {
#define TRELLIS_ENTRY(kind) &kind##_layer(),
  static const Layer* const kLayers[] = {TRELLIS_LAYERS(TRELLIS_ENTRY)};
#undef TRELLIS_ENTRY
  return kLayers;
}

const Layer& layer_of(std::string_view kind) { return find_kind(layers(), kind, "layer"); }

std::span<const KindInfo> layer_kinds() {
  static const auto kTable = kind_table(layers());
  return kTable;
}

const KindInfo& layer_kind(std::string_view kind) { return layer_of(kind).info(); }

}  // namespace nn
