#pragma once
// "Did you mean": what people write who come from other tools or from an earlier thought.

#include <span>
#include <string>
#include <string_view>

namespace hpo::study {

/// What to write in place of `word`, which is no key of block `context` ("" for the whole file,
/// "limits", "parameters", "layer", "optimizer"...) or no word of the field `context`: our name for
/// another tool's word, else the nearest of `known`, else empty.
[[nodiscard]] std::string suggestion(std::string_view context, std::string_view word,
                                     std::span<const std::string> known);

/// `; did you mean "x"?`, or empty when there is no suggestion.
[[nodiscard]] std::string did_you_mean(const std::string& suggestion);

}  // namespace hpo::study
