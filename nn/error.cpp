#include "nn/error.h"

#include <algorithm>

namespace nn {

std::string one_line(std::string_view text, std::size_t longest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::size_t length = std::min(text.size(), longest);
  while (length < text.size() && length > 0 && (text[length] & 0xc0) == 0x80) --length;
  std::string out;
  const std::string_view shown = text.substr(0, length);
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const auto c = static_cast<unsigned char>(shown[at]);
    const unsigned next = at + 1 < shown.size() ? static_cast<unsigned char>(shown[at + 1]) : 0U;
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += {'\\', 'u', '0', '0', kHex[next >> 4], kHex[next & 15]};
      ++at;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    } else {
      out += static_cast<char>(c);
    }
  }
  return length < text.size() ? out + "..." : out;
}

}  // namespace nn
