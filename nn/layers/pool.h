#pragma once
// What the kinds of pooling share: square windows that never reach over the edge of an image.

#include <string_view>
#include <vector>

#include "nn/layers/layer.h"

namespace nn {

/// The fields `kernel` (at most `largest`) and `stride`.
[[nodiscard]] std::vector<FieldInfo> pool_fields(int largest);

/// The geometry for an image; batch is 0. Throws SpecError when the window is larger than the
/// image.
[[nodiscard]] kern::Window pool_window(const Fields& fields, const Shape& image);

/// What leaves a pooling layer of that kind. Throws SpecError when no image enters.
[[nodiscard]] Flow pool_flow(std::string_view kind, const Fields& fields, const Flow& in);

/// Cases that cover both fields.
[[nodiscard]] std::vector<LayerExample> pool_examples();

}  // namespace nn
