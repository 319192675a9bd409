#include "base/utf8.h"

#include <array>
#include <cstdint>

namespace base {

namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

/// The WHATWG Encoding Standard's index windows-1252: the five bytes that the code page leaves open
/// stay the control characters that ISO 8859-1 has there.
std::uint32_t from_windows_1252(unsigned char byte) {
  constexpr std::array<std::uint16_t, 32> kHigh{
      0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
      0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
      0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};
  return byte >= 0x80 && byte < 0xa0 ? kHigh[byte - 0x80U] : byte;
}

}  // namespace

void append_utf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6);
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
}

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char c = byte(at);
  if (c < 0x80) return 1;
  const std::size_t length = c >= 0xc2 && c < 0xe0   ? 2
                             : c >= 0xe0 && c < 0xf0 ? 3
                             : c >= 0xf0 && c < 0xf5 ? 4
                                                     : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(at + k) & 0xc0) != 0x80) return 0;
  }
  const unsigned char next = byte(at + 1);
  const bool overlong = (c == 0xe0 && next < 0xa0) || (c == 0xf0 && next < 0x90);
  const bool outside = (c == 0xed && next >= 0xa0) || (c == 0xf4 && next >= 0x90);
  return overlong || outside ? 0 : length;
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

std::string as_utf8(std::string text) {
  if (is_utf8(text)) return text;
  std::string out;
  for (const unsigned char c : text) append_utf8(out, from_windows_1252(c));
  return out;
}

std::string from_utf16(std::string_view bytes, bool big_endian) {
  const auto unit = [&](std::size_t at) -> std::uint32_t {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return big_endian ? first << 8U | second : second << 8U | first;
  };
  std::string out;
  std::size_t at = 0;
  for (; at + 1 < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    const bool high = code >= 0xd800 && code < 0xdc00;
    if (high && at + 3 < bytes.size() && unit(at + 2) >= 0xdc00 && unit(at + 2) < 0xe000) {
      at += 2;
      code = 0x10000 + ((code - 0xd800) << 10U) + (unit(at) - 0xdc00);
    } else if (code >= 0xd800 && code < 0xe000) {
      code = kReplacement;
    }
    append_utf8(out, code);
  }
  if (at < bytes.size()) append_utf8(out, kReplacement);
  return out;
}

}  // namespace base
