#include "hpo/driver/programs/visible_text.h"

#include <cstddef>
#include <string_view>

namespace hpo {

namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\a';
constexpr char kBackspace = '\b';

/// An escape sequence (ECMA-48).
struct Sequence {
  std::size_t length = 0;
  bool moves = false;  ///< the cursor goes elsewhere, or what was written is wiped out
};

bool is_within(char c, char from, char to) { return c >= from && c <= to; }

/// From `at` on up to the end of a text that a terminal takes as a whole, such as a title.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == kBell) return at + 1;
    if (text[at] == kEscape) return at + 1 < text.size() ? at + 2 : at + 1;
  }
  return at;
}

Sequence control_at(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 2;
  while (at < text.size() && is_within(text[at], '\x20', '\x3f')) ++at;
  if (at >= text.size()) return {.length = text.size() - begin};
  const std::string_view parameters = text.substr(begin + 2, at - begin - 2);
  constexpr std::string_view kMoves = "ABCDEFGHJSTdf";
  const bool wipes_before = text[at] == 'K' && (parameters == "1" || parameters == "2");
  return {.length = at + 1 - begin, .moves = wipes_before || kMoves.find(text[at]) != kMoves.npos};
}

/// The sequence that begins at `begin`; one that is cut off ends with the line.
Sequence sequence_at(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  if (at >= text.size()) return {.length = 1};
  if (text[at] == '[') return control_at(text, begin);
  constexpr std::string_view kStrings = "]PX^_";
  if (kStrings.find(text[at]) != kStrings.npos)
    return {.length = end_of_string(text, at + 1) - begin};
  while (at < text.size() && is_within(text[at], '\x20', '\x2f')) ++at;
  if (at >= text.size()) return {.length = text.size() - begin};
  constexpr std::string_view kMoves = "78DEMc";
  return {.length = at + 1 - begin, .moves = kMoves.find(text[at]) != kMoves.npos};
}

}  // namespace

std::vector<std::string> visible_lines(const std::string& line) {
  if (line.find_first_of("\x1b\b\r") == line.npos) return {line};
  std::vector<std::string> lines(1);
  const auto begin_another = [&] {
    if (!lines.back().empty()) lines.emplace_back();
  };
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == kEscape) {
      const Sequence sequence = sequence_at(line, at);
      if (sequence.moves) begin_another();
      at += sequence.length;
      continue;
    }
    if (line[at] == kBackspace || line[at] == '\r')
      begin_another();
    else
      lines.back() += line[at];
    ++at;
  }
  if (lines.back().empty()) lines.pop_back();
  return lines;
}

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t") == line.npos; }

}  // namespace hpo
