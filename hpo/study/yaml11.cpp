#include "hpo/study/yaml11.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "base/ascii.h"
#include "base/text.h"

namespace hpo::study {

namespace {

struct Truth {
  std::string_view word;  ///< small, capitalised or in capitals
  bool value;
};
constexpr std::array kTruths{Truth{"yes", true},  Truth{"no", false},  Truth{"on", true},
                             Truth{"off", false}, Truth{"true", true}, Truth{"false", false}};

std::optional<bool> truth_of(std::string_view text) {
  const std::string small = base::lowered(text);
  const auto* found = std::ranges::find(kTruths, std::string_view(small), &Truth::word);
  if (found == kTruths.end()) return std::nullopt;
  const auto is_capital = [](char c) { return base::is_letter(c) && !base::is_lower_letter(c); };
  const auto capitals = static_cast<std::size_t>(std::ranges::count_if(text, is_capital));
  const bool is_written_so =
      capitals == 0 || capitals == text.size() || (capitals == 1 && is_capital(text.front()));
  return is_written_so ? std::optional(found->value) : std::nullopt;
}

bool is_digit_of(char c, int base) {
  if (base > 10) return base::is_digit(c) || (base::to_lower(c) >= 'a' && base::to_lower(c) <= 'f');
  return c >= '0' && c < '0' + base;
}

/// Digits between which underscores may stand; empty: there are others.
std::string digits_of(std::string_view text, int base) {
  std::string digits;
  for (const char c : text) {
    if (is_digit_of(c, base))
      digits += c;
    else if (c != '_')
      return {};
  }
  return digits;
}

std::optional<std::int64_t> int_of(std::string_view text, int base) {
  const std::string digits = digits_of(text, base);
  std::int64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  const bool whole = error == std::errc{} && end == digits.data() + digits.size();
  return whole && !digits.empty() ? std::optional(value) : std::nullopt;
}

/// Without a sign.
std::optional<std::int64_t> unsigned_int(std::string_view text) {
  if (text.starts_with("0b")) return int_of(text.substr(2), 2);
  if (text.starts_with("0x")) return int_of(text.substr(2), 16);
  if (text == "0") return 0;
  if (text.starts_with('0')) return int_of(text.substr(1), 8);
  return text.empty() || !base::is_digit(text.front()) ? std::nullopt : int_of(text, 10);
}

/// Digits, a point, digits, an exponent with its sign; underscores between.
std::optional<double> unsigned_float(std::string_view text) {
  if (text == ".inf" || text == ".Inf" || text == ".INF") return INFINITY;
  const std::size_t point = text.find('.');
  if (point == text.npos) return std::nullopt;
  const std::size_t exponent = std::min(text.find_first_of("eE"), text.size());
  if (exponent < point) return std::nullopt;
  const std::string_view whole = text.substr(0, point);
  const std::string_view part = text.substr(point + 1, exponent - point - 1);
  const bool begins_well = !whole.empty() ? base::is_digit(whole.front())
                                          : !part.empty() && base::is_digit(part.front());
  const auto is_of_number = [](char c) { return base::is_digit(c) || c == '_'; };
  if (!begins_well || !std::ranges::all_of(whole, is_of_number) ||
      !std::ranges::all_of(part, is_of_number))
    return std::nullopt;
  if (exponent < text.size()) {
    const std::string_view power = text.substr(exponent + 1);
    if (power.size() < 2 || (power.front() != '+' && power.front() != '-') ||
        !std::ranges::all_of(power.substr(1), base::is_digit))
      return std::nullopt;
  }
  std::string plain(text);
  std::erase(plain, '_');
  return base::parse_double(plain);
}

/// "1:30" is 90, "1:30.5" is 90.5: parts of sixty, each with one or two digits behind the first.
std::optional<ParamValue> sixties(std::string_view text) {
  if (text.find(':') == text.npos || !base::is_digit(text.front())) return std::nullopt;
  const std::size_t point = std::min(text.find('.'), text.size());
  if (point == text.size() && text.front() == '0') return std::nullopt;
  std::int64_t total = 0;
  bool first = true;
  for (std::string_view rest = text.substr(0, point); !rest.empty();) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view part = rest.substr(0, colon);
    const auto value = int_of(part, 10);
    constexpr std::int64_t kSixty = 60, kMost = INT64_MAX / 128;
    if (!value || total > kMost || (!first && (part.size() > 2 || *value >= kSixty)))
      return std::nullopt;
    total = first ? *value : kSixty * total + *value;
    first = false;
    if (colon + 1 == rest.size()) return std::nullopt;  // nothing behind it
    rest.remove_prefix(std::min(colon + 1, rest.size()));
  }
  if (point == text.size()) return ParamValue(total);
  const auto part = base::parse_double(base::cat("0", text.substr(point)));
  return part ? std::optional(ParamValue(static_cast<double>(total) + *part)) : std::nullopt;
}

}  // namespace

std::optional<ParamValue> yaml11_value(std::string_view text) {
  if (const auto truth = truth_of(text)) return ParamValue(*truth);
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return ParamValue(std::nan(""));
  const bool minus = text.starts_with('-');
  const std::string_view number = text.substr(minus || text.starts_with('+') ? 1 : 0);
  if (number.empty()) return std::nullopt;
  if (const auto value = unsigned_int(number)) return ParamValue(minus ? -*value : *value);
  if (const auto value = unsigned_float(number)) return ParamValue(minus ? -*value : *value);
  auto value = sixties(number);
  if (value && minus) {
    if (const auto* whole = std::get_if<std::int64_t>(&*value)) return ParamValue(-*whole);
    return ParamValue(-std::get<double>(*value));
  }
  return value;
}

std::optional<ParamValue> only_in_yaml11(std::string_view text) {
  const auto value = yaml11_value(text);
  if (!value || text_of(parse_value(text)) == text_of(*value)) return std::nullopt;
  return value;
}

}  // namespace hpo::study
