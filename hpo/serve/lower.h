#pragma once

#include <string>
#include <string_view>

namespace hpo::serve {

/// Names of hosts and header fields mean the same in either case. Of ASCII alone.
[[nodiscard]] inline std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace hpo::serve
