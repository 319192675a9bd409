#include "hpo/log/python_json.h"

#include <algorithm>
#include <array>

namespace hpo {

std::string from_python_json(std::string_view text) {
  constexpr std::array<std::string_view, 3> kWords{"NaN", "-Infinity", "Infinity"};
  constexpr std::array<std::string_view, 3> kQuoted{"\"nan\"", "\"-inf\"", "\"inf\""};
  std::string out;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    if (quoted && text[at] == '\\' && at + 1 < text.size()) {
      out += text.substr(at, 2);
      at += 2;
      continue;
    }
    if (text[at] == '"') quoted = !quoted;
    const auto word = std::ranges::find_if(
        kWords, [&](std::string_view w) { return !quoted && text.substr(at).starts_with(w); });
    if (word == kWords.end()) {
      out += text[at++];
    } else {
      out += kQuoted[static_cast<std::size_t>(word - kWords.begin())];
      at += word->size();
    }
  }
  return out;
}

}  // namespace hpo
