#pragma once
// Which bytes are UTF-8, and how others become it.

#include <cstddef>
#include <string>
#include <string_view>

namespace nn {

/// Length of the UTF-8 sequence that starts at `at`, or 0 when there is none (RFC 3629).
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at);

/// Whether all of a text is UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// The text itself where it is UTF-8; otherwise every byte of it as a character of Windows-1252, of
/// which Latin-1 is the part that is not control characters. What Windows-1252 leaves open (81, 8D,
/// 8F, 90, 9D) becomes U+0081 and so on, as in the WHATWG Encoding Standard: any text can be read.
[[nodiscard]] std::string as_utf8(std::string text);

/// UTF-16 as UTF-8; an odd byte at the end and halves of pairs become U+FFFD.
[[nodiscard]] std::string from_utf16(std::string_view bytes, bool big_endian);

}  // namespace nn
