#pragma once
// Unquoted words that YAML 1.1, which Python's readers speak, takes for something else than 1.2.

#include <optional>
#include <string_view>

#include "hpo/space/value.h"

namespace hpo::study {

/// The bool or number that PyYAML makes of an unquoted scalar; nothing for any other.
[[nodiscard]] std::optional<ParamValue> yaml11_value(std::string_view text);

/// The same, where a reader of YAML 1.2 sees another value or a text in it: `yes`, `010`, `1_000`,
/// `1:30`.
[[nodiscard]] std::optional<ParamValue> only_in_yaml11(std::string_view text);

}  // namespace hpo::study
