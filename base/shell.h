// Words as shells read them. Thread-safe.
#pragma once

#include <string>

namespace base {

/// The word as a shell has to be told it: in quotes where it needs them.
[[nodiscard]] std::string shell_quoted(const std::string& word);

}  // namespace base
