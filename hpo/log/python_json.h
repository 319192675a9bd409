#pragma once
// JSON as Python writes it.

#include <string>
#include <string_view>

namespace hpo {

/// A text with NaN, Infinity and -Infinity, which JSON has no number for, as the texts that Json
/// reads as these numbers; what stands in quotes is left alone.
[[nodiscard]] std::string from_python_json(std::string_view text);

}  // namespace hpo
