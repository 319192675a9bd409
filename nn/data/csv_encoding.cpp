#include "nn/data/csv_encoding.h"

#include <algorithm>

#include "base/utf8.h"
#include "nn/data/data_error.h"
#include "nn/data/file_kinds.h"

namespace nn {

void refuse_binary(const std::string& path, std::string_view text, std::size_t from,
                   std::size_t line) {
  const std::size_t at = text.find('\0', from);
  if (at == std::string_view::npos) return;
  const std::string_view before = text.substr(0, at);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  throw DataError(path, line + lines, at - start + 1,
                  "a zero byte: this is not text in UTF-8, UTF-16 or Windows-1252");
}

std::string_view decoded(const std::string& path, std::string_view bytes, std::string& storage,
                         std::vector<std::string>& notes) {
  refuse_other_kind(path, bytes);
  const bool little = bytes.starts_with("\xff\xfe");
  if (little || bytes.starts_with("\xfe\xff")) {
    if (bytes.size() % 2 != 0)
      throw DataError(path,
                      "the file ends within a character of UTF-16, expected two bytes for each");
    storage = base::from_utf16(bytes.substr(2), !little);
    notes.emplace_back("the text is UTF-16");
    bytes = storage;
  } else if (!base::is_utf8(bytes)) {
    notes.emplace_back("the text is not UTF-8: read as Windows-1252");
  }
  refuse_binary(path, bytes);
  return bytes;
}

}  // namespace nn
