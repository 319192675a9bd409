#include "base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"

namespace base {
namespace {

template <class Number, class... Format>
std::optional<Number> parse(std::string_view text, Format... format) {
  Number x{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x, format...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return x;
}

}  // namespace

namespace detail {

void append(std::string& to, std::string_view text) { to.append(text); }
void append(std::string& to, char c) { to.push_back(c); }
void append(std::string& to, double x) { to.append(format_double(x)); }

void append_int(std::string& to, std::int64_t x) {
  char text[24];
  to.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

void append_uint(std::string& to, std::uint64_t x) {
  char text[24];
  to.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

}  // namespace detail

std::string format_double(double x) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  const double size = std::fabs(x);
  char text[64];
  if (x == 0 || (size >= 1e-5 && size < 1e16)) {
    return {text, std::to_chars(text, text + sizeof text, x, std::chars_format::fixed).ptr};
  }
  std::string s(text,
                std::to_chars(text, text + sizeof text, x, std::chars_format::scientific).ptr);
  const auto e = s.find('e');  // "2.5e+20", "1e-06": drop the plus and the padding
  std::string exponent = s.substr(e + 2);
  exponent.erase(0, std::min(exponent.find_first_not_of('0'), exponent.size() - 1));
  return s.substr(0, e + 1) + (s[e + 1] == '-' ? "-" : "") + exponent;
}

std::string with_digits(double x, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, x);
  return text.data();
}

std::string with_decimals(double x, int decimals) {
  std::array<char, 400> text{};  // the largest number has 309 digits before the point
  std::snprintf(text.data(), text.size(), "%.*f", decimals, x);
  return text.data();
}

std::string format_bytes(std::uint64_t bytes) {
  static constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return cat(bytes, " B");
  double x = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; x >= 1023.95 && unit + 1 < std::size(kUnits); ++unit) x /= 1024;
  return cat(with_decimals(x, 1), " ", kUnits[unit]);
}

std::string format_seconds(double s) {
  if (!(s >= 0) || std::isinf(s)) return format_double(s) + " s";
  if (s < 0.9995e-6) return with_decimals(s * 1e9, 0) + " ns";
  if (s < 0.99995e-3) return with_decimals(s * 1e6, 1) + " us";
  if (s < 0.99995) return with_decimals(s * 1e3, 1) + " ms";
  if (s < 59.95) return with_decimals(s, 1) + " s";
  const auto whole = static_cast<std::int64_t>(s + 0.5);
  if (whole < 3600) return cat(whole / 60, " min ", whole % 60, " s");
  return cat(whole / 3600, " h ", whole % 3600 / 60, " min");
}

std::optional<double> parse_double(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return parse<double>(text);
}

std::optional<std::int64_t> parse_int(std::string_view text, int base) {
  return parse<std::int64_t>(text, base);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  return parse<std::uint64_t>(text);
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap looks two rows back.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  const auto fold = [](std::string_view s) { return lowered(s.substr(0, 64)); };
  const std::string wanted = fold(word);
  std::size_t best = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(wanted, fold(candidate));
    if (distance < best && distance < candidate.size()) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? "" : cat("; did you mean '", found, "'?");
}

std::string printable(std::string_view text, std::size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (out.size() >= limit) return out + "...";
    const std::size_t length = utf8_length(text, i);
    const auto c = static_cast<unsigned char>(text[i]);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (length == 0 || c < 0x20 || c == 0x7F) {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
    } else if (c == 0xC2 && static_cast<unsigned char>(text[i + 1]) < 0xA0) {
      const auto control = static_cast<unsigned char>(text[i + 1]);
      out += {'\\', 'u', '0', '0', kHex[control >> 4], kHex[control & 15]};
    } else {
      out.append(text.substr(i, length));
    }
    i += std::max<std::size_t>(length, 1);
  }
  return out;
}

}  // namespace base
