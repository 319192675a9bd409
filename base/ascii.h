#pragma once
// Letters and digits of ASCII. No locale is ever used; bytes of other letters are neither.

#include <string>
#include <string_view>

namespace base {

[[nodiscard]] constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

[[nodiscard]] constexpr bool is_lower_letter(char c) noexcept { return c >= 'a' && c <= 'z'; }

[[nodiscard]] constexpr bool is_letter(char c) noexcept {
  return is_lower_letter(c) || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] constexpr bool is_letter_or_digit(char c) noexcept {
  return is_letter(c) || is_digit(c);
}

/// Returns a capital letter as a small one, and other bytes as they are.
[[nodiscard]] constexpr char to_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] inline std::string lowered(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = to_lower(c);
  return out;
}

}  // namespace base
