#include "nn/data/number_format.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/ascii.h"
#include "base/text.h"

namespace nn {

namespace {

/// What may stand between groups of digits, and at the decimals.
struct FormatCandidate {
  char group;  ///< 0: nothing
  char decimal;
};

constexpr std::size_t kDecimalComma = 1, kThousandsComma = 2;
constexpr std::array<FormatCandidate, 8> kCandidates{
    {{0, '.'}, {0, ','}, {',', '.'}, {'.', ','}, {' ', '.'}, {' ', ','}, {'\'', '.'}, {'\'', ','}}};

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

/// A text cut into its sign of currency or percent and what is left of it: digits and separators.
struct Written {
  std::string digits;  ///< spaces of all kinds are ' ', apostrophes of all kinds '\''
  std::string sign;
  bool negative = false;
};

void replace_all(std::string& text, std::string_view from, char to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
    text.replace(at, from.size(), 1, to);
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

std::optional<Written> cut(const CsvField& field) {
  constexpr std::size_t kLongest = 64;
  if (field.raw.size() > kLongest) return {};
  Written written{.digits = field.value(), .sign = {}};
  replace_all(written.digits, "\u00a0", ' ');  // no-break space, and the narrow one
  replace_all(written.digits, "\u202f", ' ');
  replace_all(written.digits, "\u2019", '\'');
  replace_all(written.digits, "\u2212", '-');
  trim(written.digits);
  const bool before = take_minus(written);
  const bool negative = written.negative;
  if (!before || !take_sign(written)) return {};
  if (!negative && !written.sign.empty() && !take_minus(written)) return {};
  const bool digit = std::ranges::any_of(written.digits, base::is_digit);
  return digit ? std::optional(std::move(written)) : std::nullopt;
}

/// What a candidate makes of the digits: a number that from_chars reads, empty where it does not
/// fit.
struct Read {
  std::string number;
  bool grouped = false;
};

Read read_as(const std::string& digits, const FormatCandidate& as) {
  Read read;
  std::size_t at = 0, run = 0;
  for (; at < digits.size() && digits[at] != as.decimal; ++at) {
    if (base::is_digit(digits[at])) {
      read.number += digits[at];
      ++run;
    } else if (as.group != 0 && digits[at] == as.group) {
      const bool first = !read.grouped;
      if (first ? run < 1 || run > 3 || digits[0] == '0' : run != 3) return {};
      read.grouped = true;
      run = 0;
    } else {
      return {};
    }
  }
  if (read.grouped && run != 3) return {};
  if (at == digits.size()) return read;
  read.number += '.';
  const std::string_view fraction = std::string_view(digits).substr(at + 1);
  if (!std::ranges::all_of(fraction, base::is_digit)) return {};
  read.number += fraction;
  return read;
}

/// Whether a set of candidates has one.
bool has(unsigned set, std::size_t candidate) { return (set >> candidate & 1U) != 0; }

FormatCandidate candidate_of(const NumberFormat& format) {
  return {format.group.empty() ? '\0' : format.group[0], format.decimal_comma ? ',' : '.'};
}

}  // namespace

FieldKind read_number(const CsvField& field, const NumberFormat& format, double& number) {
  const FieldKind plain = read_number(field, number);
  const bool bare = format.sign.empty() && format.group.empty();
  if (format.plain() || plain == FieldKind::missing || (bare && plain == FieldKind::number))
    return plain;
  const auto written = cut(field);
  if (!written || (!written->sign.empty() && written->sign != format.sign)) return plain;
  const FormatCandidate known = candidate_of(format);
  std::string digits = read_as(written->digits, known).number;
  // So large a number may not have been there.
  if (digits.empty() && format.group.empty() && plain != FieldKind::number)
    digits = read_as(written->digits, {known.decimal == ',' ? '.' : ',', known.decimal}).number;
  const auto value = base::parse_double(digits);
  if (!value) return plain;
  constexpr double kLargest = std::numeric_limits<float>::max();
  if (*value > kLargest) return FieldKind::too_large;
  number = written->negative ? -*value : *value;
  return FieldKind::number;
}

bool NumberFormatFinder::add(const CsvField& field) {
  const auto written = cut(field);
  const bool other_sign =
      written && !written->sign.empty() && signed_ > 0 && written->sign != sign_;
  unsigned fitting = 0, grouped = 0;
  for (std::size_t i = 0; i < kCandidates.size() && written && !other_sign; ++i) {
    const Read read = read_as(written->digits, kCandidates[i]);
    if (read.number.empty()) continue;
    fitting |= 1U << i;
    if (read.grouped) grouped |= 1U << i;
  }
  if ((fitting_ & fitting) == 0) {
    ++misfits_;
    return false;
  }
  fitting_ &= fitting;
  grouped_ |= grouped;
  const std::string& digits = written->digits;
  const bool comma = digits.find(',') != std::string::npos;
  commas_ = commas_ || comma;
  decimals_ = decimals_ || (comma && has(fitting, kDecimalComma) && !has(fitting, kThousandsComma));
  small_ = small_ || (digits.size() <= 3 && std::ranges::all_of(digits, base::is_digit));
  ++fields_;
  if (written->sign.empty()) return true;
  ++signed_;
  sign_ = written->sign;
  return true;
}

std::optional<NumberFormat> NumberFormatFinder::found(const CsvText& csv) const {
  if (fields_ == 0 || (sign_ == "%" && signed_ < fields_)) return {};
  const bool decimal_comma = csv.decimal_comma || (csv.comma_likely && !small_);
  const auto told = [&](std::size_t i) {
    if (kCandidates[i].group != 0) return has(grouped_, i);
    const bool comma = i == kDecimalComma && (decimals_ || (decimal_comma && commas_));
    return signed_ > 0 || comma;
  };
  for (const char decimal : {decimal_comma ? ',' : '.', decimal_comma ? '.' : ','}) {
    for (std::size_t i = 0; i < kCandidates.size(); ++i) {
      if (kCandidates[i].decimal != decimal || !has(fitting_, i) || !told(i)) continue;
      const char group = kCandidates[i].group;
      return NumberFormat{.sign = sign_,
                          .group = group == 0 ? std::string() : std::string(1, group),
                          .decimal_comma = decimal == ','};
    }
  }
  return {};
}

}  // namespace nn
