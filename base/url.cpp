#include "base/url.h"

#include "base/ascii.h"

namespace base {

std::string url_encoded(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF", kPlain = "-._~";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_letter_or_digit(c) || kPlain.find(c) != std::string_view::npos)
      out += c;
    else
      out += {'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return out;
}

}  // namespace base
