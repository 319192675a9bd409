#include "hpo/report/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "base/json_writer.h"
#include "base/text.h"
#include "base/utf8.h"

namespace hpo::report {

namespace {

constexpr const char* kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr const char* kEllipsis = "\xE2\x80\xA6";     // U+2026

std::string hex(std::uint32_t code, int digits) {
  std::string out;
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4)
    out += "0123456789abcdef"[code >> shift & 15U];
  return out;
}

std::uint32_t code_at(std::string_view text, std::size_t at, std::size_t length) {
  const auto first = static_cast<unsigned char>(text[at]);
  if (length == 1) return first;
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  return code;
}

/// Characters that show nothing themselves, but change how others show or where lines end.
bool is_invisible(std::uint32_t code) {
  return (code >= 0x80 && code < 0xA0) || code == 0x00AD || code == 0x061C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF || code == 0xFFFE || code == 0xFFFF ||
         (code >= 0xE0000 && code <= 0xE0FFF);
}

std::string shown(std::string_view character, std::uint32_t code) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code < 0x20 || code == 0x7F) return base::cat("\\x", hex(code, 2));
  if (is_invisible(code)) return base::cat("\\u", hex(code, code > 0xFFFF ? 6 : 4));
  return std::string(character);
}

/// Calls `take` with each character as it is shown; stops where that returns false.
template <class Take>
void each_shown(std::string_view text, Take take) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = base::utf8_length(text, i);
    const bool go = length == 0 ? take(std::string(kReplacement))
                                : take(shown(text.substr(i, length), code_at(text, i, length)));
    if (!go) return;
    i += std::max<std::size_t>(length, 1);
  }
}

std::string for_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#x27;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

std::string visible(std::string_view text, std::size_t limit) {
  std::string out;
  std::size_t characters = 0;
  each_shown(text, [&](const std::string& character) {
    out += characters < limit ? character : kEllipsis;
    return characters++ < limit;
  });
  return out;
}

std::string escaped(std::string_view text, std::size_t limit) {
  return for_html(visible(text, limit));
}

std::string escaped_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += escaped(text.substr(0, end)) + "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string script_text(std::string_view text) {
  std::string out;
  for (const char c : base::quote_json(visible(text))) {
    if (c == '<' || c == '>' || c == '&')
      out += base::cat("\\u", hex(static_cast<unsigned char>(c), 4));
    else
      out += c;
  }
  return out;
}

std::string script_number(double value) {
  return std::isfinite(value) ? base::format_double(value) : "null";
}

std::string number(double value) { return base::with_digits(value, 4); }

std::string number(const std::optional<double>& value) { return value ? number(*value) : "none"; }

std::string percent(double share) { return base::cat(base::with_digits(100 * share, 3), "%"); }

std::string percent_of(double part, double whole) {
  return base::cat(std::lround(whole > 0 ? 100 * part / whole : 0), "%");
}

std::string flops(double count) {
  constexpr std::array<const char*, 7> kPrefixes{"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  while (count >= 1000 && prefix + 1 < kPrefixes.size()) {
    count /= 1000;
    ++prefix;
  }
  return base::cat(base::with_digits(count, 3), " ", kPrefixes[prefix], "FLOP");
}

bool is_share_of_rows(std::string_view metric) {
  return metric == "accuracy" || metric.ends_with(".accuracy") || metric == "balanced_accuracy" ||
         metric.ends_with(".balanced_accuracy");
}

std::string score(std::string_view metric, double value) {
  const bool share = is_share_of_rows(metric) && value >= 0 && value <= 1;
  return share ? percent(value) : number(value);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace hpo::report
