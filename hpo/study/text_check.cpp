#include "hpo/study/text_check.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "hpo/study/yaml_reader.h"
#include "runtime/base/text.h"

namespace hpo::study {

namespace {

/// Bytes of the UTF-8 character at `at`; 0 when there is none (cut, overlong, a surrogate, beyond
/// U+10FFFF).
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[at + i]); };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const std::uint8_t second = byte(1);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : length;
}

std::string code(unsigned char c) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", c);
  return text;
}

}  // namespace

void check_text(std::string_view text) {
  if (text.size() > kMostBytes) {
    throw Fault({}, rt::cat("the file has ", text.size(), " bytes, expected at most ", kMostBytes,
                            " (1 MiB)"));
  }
  Position at;
  bool indentation = true;  // nothing but blanks on this line so far
  bool tab = false;
  Position tab_at;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = utf8_length(text, i);
    if (length == 0)
      throw Fault(at, rt::cat("byte ", code(c), " is not UTF-8, expected a text file in UTF-8"));
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      throw Fault(at, rt::cat("control character ", code(c), ", expected printable text"));
    }
    if (c == '\n') {
      at = {at.line + 1, 1};
      indentation = true;
      tab = false;
      ++i;
      continue;
    }
    if (indentation && c == '\t' && !tab) {
      tab = true;
      tab_at = at;
    }
    if (indentation && c != ' ' && c != '\t' && c != '\r') {
      if (tab) throw Fault(tab_at, "a tab stands in the indentation, expected spaces");
      indentation = false;
    }
    i += length;
    ++at.column;
  }
}

}  // namespace hpo::study
