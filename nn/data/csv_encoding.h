#pragma once
// The bytes of a text file as a text.

#include <string>
#include <string_view>
#include <vector>

namespace nn {

/// The text that `bytes` are: themselves, or `storage` where they had to be converted, which is so
/// for UTF-16 with a byte order mark. A note is added for that, and for Windows-1252 (what is
/// not UTF-8), which each field is converted from later. Throws DataError(path) for a file of
/// another kind (file_kinds.h), and with the place of a zero byte: that is no text.
[[nodiscard]] std::string_view decoded(const std::string& path, std::string_view bytes,
                                       std::string& storage, std::vector<std::string>& notes);

/// Throws DataError for a zero byte at `from` or behind it: that is no text. `line` is the one that
/// `text` begins with.
void refuse_binary(const std::string& path, std::string_view text, std::size_t from = 0,
                   std::size_t line = 1);

}  // namespace nn
