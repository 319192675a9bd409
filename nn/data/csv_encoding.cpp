#include "nn/data/csv_encoding.h"

#include <algorithm>

#include "base/utf8.h"
#include "nn/data/data_error.h"

namespace nn {

namespace {

const char* kind_of(std::string_view text) {
  if (text.starts_with("PK\x03\x04"))
    return "this is a zip archive, or a workbook such as .xlsx: unpack it, or save its sheet as "
           "CSV";
  if (text.starts_with("PAR1")) return "this is a Parquet file, expected CSV";
  return "this is not a text in UTF-8, UTF-16 or Windows-1252";
}

}  // namespace

void refuse_binary(const std::string& path, std::string_view text, std::size_t from,
                   std::size_t line) {
  const std::size_t at = text.find('\0', from);
  if (at == std::string_view::npos) return;
  const std::string_view before = text.substr(0, at);
  const auto lines = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  throw DataError(path, line + lines, at - start + 1,
                  std::string("a zero byte: ") + kind_of(line == 1 ? text : std::string_view()));
}

std::string_view decoded(const std::string& path, std::string_view bytes, std::string& storage,
                         std::vector<std::string>& notes) {
  const bool little = bytes.starts_with("\xff\xfe");
  if (little || bytes.starts_with("\xfe\xff")) {
    if (bytes.size() % 2 != 0)
      throw DataError(path, "ends within a character of UTF-16, expected two bytes for each");
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
