#pragma once
// Operations as JSON, in the words of a study file: {"widen": {"layer": "fc1", "by": 16}}.

#include <string>
#include <string_view>

#include "nn/adapt/policy.h"

namespace nn {

/// A list, also of one; every field is written.
[[nodiscard]] std::string json_of(const Operations& operations);

/// What json_of wrote, or a person: one operation or a list of them, as {KIND: {field: value}} or
/// {"type": KIND, field: value}; complete. Throws base::Error (data) for what is none,
/// SpecError for kinds, fields and values that do not exist, with the nearest known word.
[[nodiscard]] Operations operations_from_json(std::string_view json);

/// One line that says what operations_from_json takes.
inline constexpr std::string_view kOperationForm = "{\"widen\": {\"layer\": \"fc1\", \"by\": 8}}";

}  // namespace nn
