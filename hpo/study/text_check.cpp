#include "hpo/study/text_check.h"

#include <cstddef>
#include <cstdio>
#include <string>

#include "base/text.h"
#include "base/utf8.h"
#include "hpo/study/yaml_reader.h"

namespace hpo::study {

namespace {

std::string code(unsigned char c) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02x", c);
  return text;
}

}  // namespace

void check_text(std::string_view text) {
  if (text.size() > kMostBytes) {
    throw StudyError({}, base::cat("the file has ", text.size(), " bytes, expected at most ",
                                   kMostBytes, " (1 MiB)"));
  }
  Position at;
  bool indentation = true;  // nothing but blanks on this line so far
  bool tab = false;
  Position tab_at;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const std::size_t length = base::utf8_length(text, i);
    if (length == 0)
      throw StudyError(at,
                       base::cat("byte ", code(c), " is not UTF-8, expected a text file in UTF-8"));
    if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F) {
      throw StudyError(at, base::cat("control character ", code(c), ", expected printable text"));
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
      if (tab) throw StudyError(tab_at, "a tab in the indentation, expected spaces");
      indentation = false;
    }
    i += length;
    ++at.column;
  }
}

}  // namespace hpo::study
