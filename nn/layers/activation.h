#pragma once
// The activation of a layer.

#include <string>
#include <string_view>

#include "kernels/kernels.h"
#include "nn/fields.h"
#include "nn/model/layout.h"

namespace nn {

/// The field `activation`, and its value.
[[nodiscard]] FieldInfo activation_field(std::string default_value = "relu");
[[nodiscard]] kern::Activation activation_of(const Fields& fields);
/// He for relu and gelu, Glorot for the others.
[[nodiscard]] InitRule init_for(kern::Activation activation);
/// Whether the function called so is 0 at 0: all but sigmoid.
[[nodiscard]] bool is_zero_at_zero(std::string_view activation);

}  // namespace nn
