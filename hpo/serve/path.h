#pragma once
// The path of an address.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpo::serve {

/// "/s/a%20b/?x" -> {"s", "a b", ""}. Nothing for a path with a step that is no plain name: ".",
/// "..", one with a slash or a NUL, an empty one that is not the last, or a wrong escape.
[[nodiscard]] std::optional<std::vector<std::string>> path_steps(std::string_view target);

}  // namespace hpo::serve
