// What a message says where a word is none of those that are known. Thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace base {

/// ", expected one of lr, width and 4 more; did you mean 'lr'?": the first dozen of the known
/// words, and the nearest of all; ", expected none" where nothing is known. To be put behind what
/// was wrong.
[[nodiscard]] std::string expected_one_of(std::span<const std::string> known,
                                          std::string_view word);

}  // namespace base
