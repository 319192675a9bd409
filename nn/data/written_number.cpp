#include "nn/data/written_number.h"

#include <algorithm>
#include <array>

#include "base/ascii.h"

namespace nn {

namespace {

constexpr std::string_view kSeparators = ".,' ";

/// Bytes of letters beyond ASCII, and of signs such as the degree.
bool is_high(char c) { return (static_cast<unsigned char>(c) & 0x80U) != 0; }

/// A sign of currency or percent at the beginning of a text, in bytes.
std::size_t sign_length(std::string_view text) {
  if (text.starts_with('$') || text.starts_with('%')) return 1;
  if (text.starts_with("\u00a3") || text.starts_with("\u00a5")) return 2;  // pound, yen
  // The block of currency signs, U+20A0 to U+20C0.
  if (text.size() < 3 || !text.starts_with("\xe2")) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const auto third = static_cast<unsigned char>(text[2]);
  return (second == 0x82 && third >= 0xa0) || (second == 0x83 && third == 0x80) ? 3 : 0;
}

bool replace_all(std::string& text, std::string_view from, char to) {
  bool any = false;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
    text.replace(at, from.size(), 1, to);
    any = true;
  }
  return any;
}

void trim(std::string& text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
}

/// Takes a minus or plus off the front; false where a second one stands there.
bool take_minus(Written& written) {
  std::string& text = written.digits;
  const bool minus = text.starts_with('-');
  if (!minus && !text.starts_with('+')) return true;
  text.erase(0, 1);
  trim(text);
  written.negative = minus;
  return !text.starts_with('-') && !text.starts_with('+');
}

/// Takes a sign off the front or the end; false where there are two.
bool take_sign(Written& written) {
  std::string& text = written.digits;
  if (const std::size_t length = sign_length(text); length > 0 && text[0] != '%') {
    written.sign = text.substr(0, length);
    text.erase(0, length);
    trim(text);
  }
  for (std::size_t length = 1; length <= std::min<std::size_t>(3, text.size()); ++length) {
    const std::string end = text.substr(text.size() - length);
    if (sign_length(end) != length) continue;
    if (!written.sign.empty()) return false;
    written.sign = end;
    text.erase(text.size() - length);
    trim(text);
    break;
  }
  return true;
}

/// Takes off what laboratories put before a number that is a bound.
void take_bound(Written& written) {
  constexpr std::array<std::string_view, 6> kBounds{"<=", ">=", "<", ">", "\u2264", "\u2265"};
  std::string& text = written.digits;
  const auto found = std::ranges::find_if(
      kBounds, [&](std::string_view bound) { return text.starts_with(bound); });
  if (found == kBounds.end()) return;
  text.erase(0, found->size());
  trim(text);
  written.marked = true;
}

/// Takes off the brackets or the trailing minus of accountants; false where there is another minus.
bool take_accounting(Written& written) {
  std::string& text = written.digits;
  const bool brackets = text.size() > 2 && text.starts_with('(') && text.ends_with(')');
  const bool trailing = text.size() > 1 && text.ends_with('-');
  if (!brackets && !trailing) return true;
  if (written.negative) return false;
  written.negative = written.marked = true;
  text.erase(text.size() - 1);
  if (brackets) text.erase(0, 1);
  trim(text);
  return !brackets || !written.sign.empty() || take_sign(written);
}

/// Whether this may be what a number counts: letters, perhaps with powers, a slash and blanks
/// between: kg, °C, m/s^2, µg/l, sq ft.
bool is_unit(std::string_view text) {
  constexpr std::size_t kLongest = 24;
  if (text.empty() || text.size() > kLongest || !has_letter(text)) return false;
  if (!base::is_letter(text[0]) && !is_high(text[0])) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    const char c = text[i], before = text[i - 1];
    const bool power = base::is_digit(c) && (base::is_letter(before) || is_high(before) ||
                                             before == '^' || before == '-');
    constexpr std::string_view kBetween = "/^*.- %";
    if (!base::is_letter(c) && !is_high(c) && !power && kBetween.find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

/// The end of the digits, separators and the exponent that a text begins with.
std::size_t end_of_number(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() &&
         (base::is_digit(text[end]) || kSeparators.find(text[end]) != std::string_view::npos))
    ++end;
  std::size_t power = end + 1;
  if (end == 0 || end >= text.size() || base::to_lower(text[end]) != 'e') return end;
  if (power < text.size() && (text[power] == '-' || text[power] == '+')) ++power;
  const std::size_t first = power;
  while (power < text.size() && base::is_digit(text[power])) ++power;
  return power > first ? power : end;
}

/// Takes a unit off the end, or what stands for a currency off the front; false for other words.
bool take_unit(Written& written) {
  std::string& text = written.digits;
  const auto capitals = static_cast<std::size_t>(
      std::ranges::find_if(text, [](char c) { return c < 'A' || c > 'Z'; }) - text.begin());
  constexpr std::size_t kCode = 3;  // as EUR has letters; US$ has fewer
  const bool code = capitals == kCode && text.size() > kCode && text[kCode] == ' ';
  const bool dollar =
      capitals > 0 && capitals <= kCode && text.size() > capitals && text[capitals] == '$';
  if (code || dollar) {
    written.unit = text.substr(0, capitals + (dollar ? 1 : 0));
    text.erase(0, capitals + 1);
    trim(text);
    const bool minus = text.starts_with('-');
    if (minus && written.negative) return false;
    return take_minus(written) && end_of_number(text) == text.size();
  }
  const std::size_t end = end_of_number(text);
  if (end == text.size()) return true;
  written.unit = text.substr(end);
  written.attached = end > 0 && text[end - 1] != ' ' && text[end] != ' ';
  trim(written.unit);
  text.erase(end);
  trim(text);
  return is_unit(written.unit);
}

}  // namespace

bool has_letter(std::string_view text) {
  // Dashes, the ellipsis and the bullet stand where nothing is known.
  constexpr std::array<std::string_view, 6> kSigns{"\u2012", "\u2013", "\u2014",
                                                   "\u2026", "\u2022", "\u00b7"};
  for (std::size_t i = 0; i < text.size();) {
    if (base::is_letter(text[i])) return true;
    if (!is_high(text[i])) {
      ++i;
      continue;
    }
    const auto sign = std::ranges::find_if(
        kSigns, [&](std::string_view one) { return text.substr(i).starts_with(one); });
    if (sign == kSigns.end()) return true;
    i += sign->size();
  }
  return false;
}

bool is_same_unit(std::string_view a, std::string_view b) {
  constexpr std::size_t kShort = 2;
  if (a == b) return true;
  const auto singular = [](std::string_view unit) {
    if (unit.ends_with('.')) unit.remove_suffix(1);
    if (unit.size() > kShort + 1 && unit.ends_with('s')) unit.remove_suffix(1);
    return unit;
  };
  a = singular(a);
  b = singular(b);
  return a == b || (a.size() > kShort && base::lowered(a) == base::lowered(b));
}

std::optional<Written> written_number(const CsvField& field) {
  constexpr std::size_t kLongest = 64;
  if (field.raw.size() > kLongest) return {};
  Written written;
  written.digits = field.value();
  if (std::ranges::none_of(written.digits, base::is_digit)) return {};
  replace_all(written.digits, "\u00a0", ' ');  // no-break space, and the narrow one
  replace_all(written.digits, "\u202f", ' ');
  replace_all(written.digits, "\u2019", '\'');
  written.marked = replace_all(written.digits, "\u2212", '-');
  trim(written.digits);
  take_bound(written);
  const bool before = take_minus(written);
  const bool negative = written.negative;
  if (!before || !take_sign(written)) return {};
  if (!negative && !written.sign.empty() && !take_minus(written)) return {};
  if (!take_accounting(written) || !take_unit(written)) return {};
  // "5% (of 7)" has a second number.
  const bool digit = std::ranges::any_of(written.digits, base::is_digit);
  return digit ? std::optional(std::move(written)) : std::nullopt;
}

}  // namespace nn
