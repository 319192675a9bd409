#pragma once
// UTF-8: what is valid, and how other encodings become it. Thread-safe.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace base {

/// Length in bytes of the UTF-8 sequence at text[at], or 0 if it is invalid (RFC 3629). `at` is
/// below text.size().
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

/// True for the first byte of a character in valid UTF-8.
[[nodiscard]] constexpr bool begins_character(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

/// Appends a code point, which must be one that UTF-8 can write (up to 10FFFF, no surrogate).
void append_utf8(std::string& out, std::uint32_t code);

/// True if all of a text is valid UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The text itself where it is UTF-8; otherwise every byte of it as a character of Windows-1252, of
/// which Latin-1 is the part that is not control characters. What Windows-1252 leaves open (81, 8D,
/// 8F, 90, 9D) becomes U+0081 and so on, as in the WHATWG Encoding Standard: any text can be read.
[[nodiscard]] std::string as_utf8(std::string text);

/// UTF-16 as UTF-8; an odd byte at the end and halves of pairs become U+FFFD.
[[nodiscard]] std::string from_utf16(std::string_view bytes, bool big_endian);

}  // namespace base
