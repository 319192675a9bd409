// Owned and borrowed runs of bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace base {

using Bytes = std::vector<std::byte>;

/// The bytes of a text, borrowed.
[[nodiscard]] inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// Bytes as text, borrowed.
[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace base
